#!/usr/bin/env perl
# A gate for Stripe refunds: performs each once and can say, after any crash, what became of it.
#
# Core modules only. It speaks docs/subject-protocol.md on descriptors 3 and 4, HTTP to the service, and
# remembers in one file a decision. `--unsound` takes one rule away: every attempt gets a fresh key.
#
# One thread, and every wait is a select that also listens on descriptor 3: a dead harness ends it in the
# middle of a call, and when it stands still all of it stands still.
use v5.20;
use warnings;
use Digest::SHA qw(sha256_hex);
use Errno qw(ENOENT EAGAIN EWOULDBLOCK EINTR);
use Fcntl qw(:flock :seek O_RDONLY O_RDWR O_CREAT O_APPEND);
use IO::Handle;
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use List::Util qw(all any max min);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my $fresh_keys = grep { $_ eq '--unsound' } @ARGV;
my $most_attempts = 6;
my @points = qw(before_wal after_wal_before_call after_call_before_commit after_commit_before_ack);
my $json = JSON::PP->new->utf8->canonical->allow_nonref;
# What the caller is told in each state: outcome, disposition, final.
my %says = (
    recorded    => ['absent',   'settled',  0],    # nothing was ever sent
    blocked     => ['refused',  'settled',  0],    # may not be sent; a later lawful submit may be
    'in-flight' => ['unknown',  'working',  0],    # a request may be on its way
    'not-done'  => ['absent',   'settled',  0],    # every attempt provably did nothing
    done        => ['happened', 'settled',  1],
    refused     => ['refused',  'settled',  1],    # by the service's own rules, for good
    surfaced    => ['unknown',  'surfaced', 0],    # a person has to look
);
# Replies that prove that their own attempt had no effect; they say nothing of other attempts.
my %no_effect = map { $_ => 1 } qw(refused mendable withheld);

# --- Descriptors 3 and 4 ----------------------------------------------------------------------

open my $from_harness, '<&=', 3 or die "expected messages on descriptor 3: $!\n";
open my $to_harness,   '>&=', 4 or die "expected to answer on descriptor 4: $!\n";
$_->blocking(1) for $from_harness, $to_harness;
$SIG{PIPE} = 'IGNORE';
my ($unread, @inbox, %reached, $start) = ('');
my ($clock_offset_ms, $may_go) = (0, 0);

sub monotonic_ms { 1000 * clock_gettime(CLOCK_MONOTONIC) }
sub now_ms       { int(1000 * Time::HiRes::time()) + $clock_offset_ms }

# Blocks until something has come; the end of the file means that whoever started us is gone.
sub read_messages {
    my $length = sysread $from_harness, $unread, 65_536, length $unread;
    return if !defined $length && $!{EINTR};
    exit 0 unless $length;
    while ($unread =~ s/\A([^\n]*)\n//) {
        my $message = $json->decode($1);
        if    ($message->{type} eq 'go')    { $may_go = 1 }
        elsif ($message->{type} eq 'clock') { $clock_offset_ms = $message->{offsetMs} } # time waits in no queue
        else                                { push @inbox, $message }
    }
}

# True once `$ready` (a socket, or nothing for a plain wait) is ready, false when the time is up.
sub wait_for {
    my ($until_ms, $ready, $writing) = @_;
    while ((my $left_ms = $until_ms - monotonic_ms()) > 0) {
        my $read = IO::Select->new($from_harness, $ready && !$writing ? $ready : ());
        my $write = $ready && $writing ? IO::Select->new($ready) : undef;
        my ($readable, $writable) = IO::Select->select($read, $write, undef, $left_ms / 1000);
        read_messages() if any { $_ == $from_harness } @{ $readable // [] };
        return 1 if $ready && any { $_ == $ready } @{ $readable // [] }, @{ $writable // [] };
    }
    return 0;
}

sub pause { wait_for(monotonic_ms() + $_[0]) }

sub say_message {
    my $line = $json->encode({@_}) . "\n";
    while (length $line) {
        my $sent = syswrite $to_harness, $line;
        exit 0 unless defined $sent || $!{EINTR};
        substr $line, 0, $sent // 0, '';
    }
}

# Never called while a record is being written: a kill here must find what is written whole.
sub at {
    my ($point, $record) = @_;
    my $occurrence = ++$reached{$point};
    return unless any { $_->{point} eq $point && $_->{occurrence} == $occurrence } @{ $start->{armed} };
    $may_go = 0;
    my $attempts = @{ $record->{attempts} };
    say_message(type => 'at', point => $point, intent => $record->{requestId}, attempt => $attempts,
        occurrence => $occurrence);
    read_messages() until $may_go;
}

# --- The service and the authority ------------------------------------------------------------

# One request on a connection of its own: no proxy, no redirect, no retry, and one deadline for all of it,
# since an answer that trickles never falls silent. Dies without a whole answer in time.
sub call_once {
    my ($host, $port, $timeout_ms, $request) = @_;
    my $until_ms = monotonic_ms() + $timeout_ms;
    my $socket = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Proto => 'tcp', Blocking => 0)
        or die "no connection: $@\n";
    while (length $request) {
        wait_for($until_ms, $socket, 1) or die "not sent within $timeout_ms ms\n";
        my $sent = syswrite $socket, $request;
        die "the connection broke: $!\n" unless defined $sent || is_try_again();
        substr $request, 0, $sent // 0, '';
    }
    my $answer = '';
    while (1) {
        wait_for($until_ms, $socket) or die "no whole answer within $timeout_ms ms\n";
        my $length = sysread $socket, $answer, 65_536, length $answer;
        die "the connection broke: $!\n" unless defined $length || is_try_again();
        my ($status, $headers, $body) = read_http($answer, defined $length && $length == 0);
        return ($status, $headers, $json->decode($body)) if defined $status;
        die "the connection closed before the answer was whole\n" if defined $length && $length == 0;
    }
}

sub is_try_again { $!{EAGAIN} || $!{EWOULDBLOCK} || $!{EINTR} }

# Nothing while the answer is not whole.
sub read_http {
    my ($bytes, $has_ended) = @_;
    my ($head, $body) = $bytes =~ /\A(.*?)\r\n\r\n(.*)\z/s or return;
    my ($status_line, @lines) = split /\r\n/, $head;
    my ($status) = $status_line =~ m{\AHTTP/1\.\d (\d{3})} or die "not an HTTP answer\n";
    my %headers = map { /\A([^:]+):\s*(.*?)\s*\z/ ? (lc $1 => $2) : () } @lines;
    if (lc($headers{'transfer-encoding'} // '') eq 'chunked') { $body = join_chunks($body) // return }
    elsif (defined(my $length = $headers{'content-length'})) {
        return if length $body < $length;
        $body = substr $body, 0, $length;
    }
    elsif (!$has_ended) { return }
    return ($status, \%headers, $body);
}

sub join_chunks {
    my ($rest, $whole) = (shift, '');
    while ($rest =~ s/\A([0-9a-fA-F]+)[^\r\n]*\r\n//) {
        my $length = hex $1;
        return $whole if $length == 0;
        return if length $rest < $length + 2;
        $whole .= substr $rest, 0, $length, '';
        substr $rest, 0, 2, '';
    }
    return;
}

sub percent { $_[0] =~ s/([^A-Za-z0-9_.~-])/sprintf '%%%02X', ord $1/ger }

sub post_refund {
    my ($payload, $key) = @_;
    my ($endpoint, $credentials) = @{ $start->{target} }{qw(endpoint credentials)};
    my @form = (
        payment_intent           => $payload->{paymentIntent},
        amount                   => $payload->{amountMinor},
        'metadata[decision_key]' => $key,    # the stamp, by which an answer is known as ours
    );
    my @pairs;
    while (my ($name, $value) = splice @form, 0, 2) { push @pairs, percent($name) . '=' . percent($value) }
    my $body = join '&', @pairs;
    my $request = join "\r\n", 'POST /v1/refunds HTTP/1.1', "Host: $endpoint->{host}:$endpoint->{port}",
        "Authorization: Bearer $credentials->{apiKey}", 'Content-Type: application/x-www-form-urlencoded',
        "Idempotency-Key: $key", 'Content-Length: ' . length $body, 'Connection: close', '', $body;
    my $timeout_ms = $start->{declaration}{clientTimeoutMs};
    my $reply = eval { read_answer($key, call_once($endpoint->{host}, $endpoint->{port}, $timeout_ms, $request)) };
    # Nothing says how far the request got, or whether it is still on its way.
    return $reply // { kind => 'unknown', detail => 'no answer that can be read: ' . reason($@) };
}

sub reason { $_[0] =~ s/\s+\z//r }

# Only the service's own voice is definite: a gateway's 403 says nothing of what is behind it.
sub read_answer {
    my ($key, $status, $headers, $answer) = @_;
    return { kind => 'unknown', detail => "status $status with a body that is no object" } if ref $answer ne 'HASH';
    if ($status == 200 && ($answer->{object} // '') eq 'refund' && ($answer->{id} // '') ne '') {
        my $stamp = ref $answer->{metadata} eq 'HASH' ? $answer->{metadata}{decision_key} : undef;
        return { kind => 'landed', detail => 'the service answered with our stamp', entityId => $answer->{id} }
            if defined $stamp && $stamp eq $key;
        return { kind => 'unknown', detail => 'the answer speaks of a refund without our stamp' };
    }
    my $error = $answer->{error};
    return { kind => 'unknown', detail => "status $status, neither a refund nor the service's own error" }
        unless ref $error eq 'HASH' && ($error->{type} // '') =~ /_error\z/;
    my $code = $error->{code} // '';
    return { kind => reply_kind($status, $code, $headers), detail => join ' ', $status, $error->{type}, $code,
        $error->{message} // '' };
}

sub reply_kind {
    my ($status, $code, $headers) = @_;
    return 'mendable' if $status =~ /\A(?:401|403|429)\z/ || ($status == 400 && $code eq 'rate_limit');
    return 'refused' if $status =~ /\A(?:400|402|404)\z/;
    return 'in-flight' if $status == 409;
    return $status >= 500 && ($headers->{'idempotent-replayed'} // '') eq 'true' ? 'stored-error' : 'unknown';
}

# Why nothing may be sent, or nothing and when the lease ends. Who can't be asked has not said yes.
sub permission {
    my ($lease, $premises) = @_;
    return "this gate can't check premises, and sends nothing that depends on them" if @$premises;
    my ($host, $port, $path) = $start->{authority}{url} =~ m{\Ahttp://([^:/]+)(?::(\d+))?(.*?)/?\z}
        or return "expected an authority at http://HOST:PORT, got $start->{authority}{url}";
    $port //= 80;
    my $get = join "\r\n", "GET $path/leases/" . percent($lease) . ' HTTP/1.1', "Host: $host:$port", 'Connection: close', '', '';
    my ($status, undef, $state) = eval { call_once($host, $port, 1000, $get) }
        or return 'the authority could not be asked: ' . reason($@);
    return 'the authority gave no answer that can be read' unless $status == 200 && ref $state eq 'HASH';
    return 'the lease is dead: ' . ($state->{reason} // 'no reason given') if ($state->{kind} // '') ne 'live';
    return "this gate can't add up what was spent under a lease with caps" if @{ $state->{caps} // [] };
    return (undef, $state->{expiresAtMs});
}

# --- The ledger: a file a decision, an event a line -------------------------------------------

sub sync_folder {
    my ($folder) = @_;
    sysopen my $handle, $folder, O_RDONLY or die "$folder: $!\n";
    $handle->sync or die "$folder can't be made durable: $!\n";
}

sub file_of { "$start->{ledger}/$_[0].events" }

# The file while this process alone may act on the decision, nothing otherwise. The kernel drops the lock
# when its holder dies and never before: a paused owner still owns, and no clock decides. No file is ever
# removed: one gone while it is held would let a second owner in. Network disks keep no such lock.
sub own {
    my ($key, $wait_ms) = @_;
    my $until_ms = monotonic_ms() + $wait_ms;
    sysopen my $file, file_of($key), O_RDWR | O_CREAT | O_APPEND, 0600 or die file_of($key) . ": $!\n";
    until (flock $file, LOCK_EX | LOCK_NB) {
        return if monotonic_ms() >= $until_ms;
        pause(10);
    }
    sync_folder($start->{ledger});
    drop_torn_line($file);
    return $file;
}

sub drop_torn_line {
    my ($file) = @_;
    my $whole = length(read_bytes($file) =~ s/[^\n]*\z//r);
    truncate $file, $whole or die "a torn line can't be dropped: $!\n" if $whole != -s $file;
}

sub read_bytes {
    my ($file) = @_;
    sysseek $file, 0, SEEK_SET or die "the ledger can't be read: $!\n";
    my $bytes = '';
    while (1) {
        my $length = sysread($file, $bytes, 65_536, length $bytes) // die "the ledger can't be read: $!\n";
        return $bytes if $length == 0;
    }
}

# Durable when it returns, and not in the system's cache alone.
sub append_event {
    my ($file, %event) = @_;
    my $line = $json->encode(\%event) . "\n";
    my $written = syswrite($file, $line) // die "the ledger can't be written: $!\n";
    die "the ledger took $written of " . length($line) . " bytes\n" if $written != length $line;
    $file->sync or die "the ledger can't be made durable: $!\n";
}

# What the events come to, or nothing where there is no record.
sub find_record {
    my ($key) = @_;
    open my $file, '<', file_of($key) or ($!{ENOENT} ? return : die file_of($key) . ": $!\n");
    my $record;
    for my $line (read_bytes($file) =~ /([^\n]*)\n/g) {
        my $event = $json->decode($line);
        if ($event->{event} eq 'recorded') {
            $record = { %$event, state => 'recorded', attempts => [], entityId => undef };
        }
        else { apply_event($record, $event) }
    }
    return $record;
}

sub apply_event {
    my ($record, $event) = @_;
    my ($kind, $attempts) = ($event->{event}, $record->{attempts});
    if ($kind eq 'attempt') {
        push @$attempts, { atMs => $event->{atMs}, kind => 'none', detail => 'its sender died before an answer was recorded' };
        @$record{qw(state lease evidence)} = ('in-flight', $event->{lease}, 'an attempt is in flight');
    }
    elsif ($kind eq 'reply') {
        # A refusal settles only its own attempt: an earlier one may have landed all the same.
        @{ $attempts->[-1] }{qw(kind detail)} = @$event{qw(kind detail)};
        $record->{state} = $event->{kind} eq 'landed' ? 'done'
            : !(all { $no_effect{ $_->{kind} } } @$attempts) ? 'in-flight'
            : $event->{kind} eq 'refused' ? 'refused' : 'not-done';
        $record->{entityId} = $event->{entityId};
        $record->{evidence} = 'attempt ' . @$attempts . ": $event->{detail}";
    }
    else { @$record{qw(state evidence)} = ($kind, $event->{evidence}) }    # blocked, surfaced
}

# --- The gate ---------------------------------------------------------------------------------

# What makes two requests the same decision, and the key that goes on the wire: the payment. Not the
# amount, or a changed amount would be a second refund; not the caller's name for its message, or asking
# again would be. Change this, and a ledger in use has forgotten everything.
sub decision_key {
    my ($request) = @_;
    my $payment = $request->{paymentIntent};
    die { invalid => 'expected paymentIntent to be an id that begins with pi_' }
        unless defined $payment && !ref $payment && $payment =~ /\Api_\w+\z/;
    my $account = $start->{target}{credentials}{account} // 'default';
    return sha256_hex($json->encode(['v1', 'stripe', "$account", 'refund', "$payment"]));
}

# The payload as it stays. An amount is never rounded, guessed or defaulted: its JSON is looked at, where
# a string is not a number.
sub freeze_payload {
    my ($request) = @_;
    my $fields = join ' ', sort keys %$request;
    die { invalid => "expected operation, paymentIntent, amountMinor, currency, got $fields" }
        if $fields ne 'amountMinor currency operation paymentIntent';
    die { invalid => 'expected a refund of a positive integer in minor units' }
        unless $request->{operation} eq 'refund' && $json->encode($request->{amountMinor}) =~ /\A[1-9]\d*\z/;
    return $json->encode($request);
}

sub outcome_of {
    my ($record, %instead) = @_;
    my ($outcome, $disposition, $final) = @{ $says{ $record ? $record->{state} : 'recorded' } };
    my %said = (outcome => $outcome, disposition => $disposition, final => $final, receipt => undef,
        state => undef, entityId => undef, attempts => 0, evidence => 'no record of it');
    if ($record) {
        @said{qw(state entityId evidence)} = @$record{qw(state entityId evidence)};
        $said{attempts} = scalar @{ $record->{attempts} };
    }
    %said = (%said, %instead);
    return (%said, final => $said{final} ? JSON::PP::true : JSON::PP::false);
}

sub submit {
    my ($message) = @_;
    my $request = $message->{request};
    return outcome_of(undef, outcome => 'refused', evidence => 'this gate tells no second decision apart; nothing was sent')
        if exists $request->{distinct};
    my $payload = freeze_payload($request);
    my $key = decision_key($request);
    my $file = own($key, 2 * $start->{declaration}{clientTimeoutMs});
    my $record = find_record($key);
    if ($file && !$record) {
        append_event($file, event => 'recorded', requestId => $message->{requestId}, lease => $message->{lease},
            payload => $payload, payloadHash => sha256_hex($payload), evidence => 'recorded; nothing was sent');
        $record = find_record($key);
    }
    # The payload was frozen when it was first recorded; another one is refused in every state.
    return outcome_of($record, outcome => 'refused', disposition => 'settled', entityId => undef,
        evidence => 'this payment was recorded with another payload; nothing was sent')
        if $record && $record->{payloadHash} ne sha256_hex($payload);
    return outcome_of($record) if $record && $record->{state} =~ /\A(?:done|refused)\z/;
    return outcome_of($record, outcome => 'unknown', disposition => 'working', final => 0,
        evidence => 'owned, alive: another process is at work on it')
        unless $file;
    carry_out($key, $file, $message->{lease}, $message->{premises});
    at('after_commit_before_ack', find_record($key));
    return outcome_of(find_record($key));
}

sub carry_out {
    my ($key, $file, $lease, $premises) = @_;
    learn($key, $file, $lease, $premises);
    return unless find_record($key)->{state} =~ /\A(?:recorded|blocked|not-done)\z/;
    # Nothing can have happened yet: from here on it is a first call.
    my ($why, $ends_ms) = permission($lease, $premises);
    if (!defined $why) {
        at('before_wal', find_record($key));
        $why = attempt($key, $file, $lease, $ends_ms, \&at);
    }
    append_event($file, event => 'blocked', evidence => "nothing was sent: $why") if defined $why;
    learn($key, $file, $lease, $premises);
}

# Learns what became of attempts that lost their process. What was never attempted is left alone: only a
# caller may start a refund.
sub recover {
    for my $path (glob "\Q$start->{ledger}\E/*.events") {
        my ($key) = $path =~ m{([0-9a-f]{64})\.events\z} or next;
        my $file = own($key, 0) or next;    # somebody is alive and at work on it
        my $record = find_record($key) or next;
        learn($key, $file, $record->{lease}, []);
    }
}

# Sends the same key again until the answer is known: inside its window that makes the refund or finds it.
# Otherwise hands it to a person. Never a guess, never another key.
sub learn {
    my ($key, $file, $lease, $premises) = @_;
    my $record = find_record($key);
    # Who asks again after the means ran out is owed one more look, not six.
    my $more = $record->{state} eq 'surfaced' ? 1 : 0;
    my $limit = max($most_attempts, @{ $record->{attempts} } + $more);
    my $pause_ms = 0;
    while (($record = find_record($key))->{state} =~ /\A(?:in-flight|surfaced)\z/) {
        my $last = $record->{attempts}[-1];
        my ($why, $ends_ms) = why_no_resend($record, $limit);
        ($why, $ends_ms) = permission($lease, $premises) unless defined $why;
        if (!defined $why) {
            my $timeout_ms = $start->{declaration}{clientTimeoutMs};
            $pause_ms = max($pause_ms, $timeout_ms / 4) if $last->{kind} eq 'in-flight';
            pause($pause_ms);
            $pause_ms = min(max(20, 2 * $pause_ms), $timeout_ms);
            $why = attempt($key, $file, $lease, $ends_ms, sub { });
        }
        next unless defined $why;
        my $number = @{ $record->{attempts} };
        append_event($file, event => 'surfaced', evidence => "attempt $number: $last->{detail}; not sent again: $why");
        return;
    }
}

sub why_no_resend {
    my ($record, $limit) = @_;
    my @attempts = @{ $record->{attempts} };
    return 'the service would take it for another refund' unless $start->{declaration}{dedupe};
    return 'the key only brings back the same failure' if any { $_->{kind} =~ /\A(?:stored-error|refused)\z/ } @attempts;
    return 'sent ' . @attempts . ' times without a definite answer' if @attempts >= $limit;
    return;
}

# Recorded, sent, read, settled, in this order: what is on the wire is in the ledger. Says why when nothing
# was recorded.
sub attempt {
    my ($key, $file, $lease, $ends_ms, $at) = @_;
    my $why = why_not_now(find_record($key), $ends_ms);
    return $why if defined $why;
    append_event($file, event => 'attempt', lease => $lease, atMs => now_ms());
    my $record = find_record($key);
    $at->('after_wal_before_call', $record);
    # Asked again: the process may have been stopped for a day since it wrote that down.
    $why = why_not_now($record, $ends_ms);
    # UNSOUND with the flag: under a fresh key the service takes a repeat for another refund.
    my $rail_key = $fresh_keys ? sha256_hex(join ' ', $key, $$, Time::HiRes::time(), rand) : $key;
    my $reply = defined $why
        ? { kind => 'withheld', detail => "nothing was sent: $why" }
        : post_refund($json->decode($record->{payload}), $rail_key);
    $at->('after_call_before_commit', $record);
    append_event($file, event => 'reply', entityId => undef, %$reply);
    return;
}

# By the clock.
sub why_not_now {
    my ($record, $ends_ms) = @_;
    my $now_ms = now_ms();
    return 'the lease has ended' if defined $ends_ms && $now_ms >= $ends_ms;
    my $dedupe = $start->{declaration}{dedupe};
    # An attempt that provably did nothing left nothing behind that a window could protect.
    my @open = grep { !$no_effect{ $_->{kind} } } @{ $record->{attempts} };
    return if !@open || !$dedupe || $dedupe->{windowMs} eq 'forever';
    return 'the clock went back, so the age of the key is not known' if $now_ms < $open[-1]{atMs};
    my $margin_ms = min($dedupe->{windowMs} / 24, 3_600_000);    # two clocks may disagree
    return 'the service may have forgotten the key' if $now_ms - $open[0]{atMs} >= $dedupe->{windowMs} - $margin_ms;
    return;
}

sub answer {
    my ($id, $act) = @_;
    my @said = eval { $act->() };
    if (my $error = $@) {
        die $error unless ref $error eq 'HASH';    # a gate that can't write has crashed
        @said = outcome_of(undef, outcome => 'refused', final => 1, evidence => $error->{invalid});
    }
    say_message(type => 'outcome', re => $id, @said);
}

# One message after the other, so that submits wait for a recovery under way.
while (1) {
    read_messages() until @inbox;
    my $message = shift @inbox;
    my ($type, $id) = @$message{qw(type id)};
    if ($type eq 'start') {
        ($start, $clock_offset_ms) = ($message, $message->{clockOffsetMs});
        my $protocol = $start->{target}{endpoint}{protocol};
        die "expected a service over http, got $protocol: Perl's core has no TLS\n" if $protocol ne 'http';
        say_message(type => 'ready', pid => $$, name => $fresh_keys ? 'perl-unsound' : 'perl-sound', version => '1',
            capabilities => { points => \@points, resolve => JSON::PP::false, leavesOut => [qw(premises caps distinct)] });
    }
    elsif ($type eq 'recover') { recover(); say_message(type => 'done', re => $id) }
    elsif ($type eq 'submit') { answer($id, sub { submit($message) }) }
    elsif ($type eq 'ask') { answer($id, sub { outcome_of(find_record(decision_key($message->{request}))) }) }
    elsif ($type eq 'stop') { exit 0 }
}
