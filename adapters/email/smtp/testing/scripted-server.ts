/** A mail server that says what a test wants it to say, byte by byte, and keeps what it heard. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Endpoint } from '../../../target.ts';

/** An answer, as text, or something done to the connection. */
export type Line = string | ((socket: Socket) => void);

export interface Script {
  readonly greeting?: Line;
  readonly ehlo?: Line;
  readonly starttls?: Line;
  readonly auth?: Line;
  readonly mail?: Line;
  readonly rcpt?: Line;
  readonly data?: Line;
  /** To the message with its dot. */
  readonly message?: Line;
}

export interface ScriptedServer {
  readonly endpoint: Endpoint;
  /** What came on each connection, in order. */
  readonly heard: readonly string[];
}

const usual: Required<Script> = {
  greeting: '220 mail.example ESMTP\r\n',
  ehlo: '250-mail.example\r\n250-PIPELINING\r\n250-AUTH PLAIN\r\n250 SIZE 1000000\r\n',
  starttls: '454 4.7.0 TLS not available\r\n',
  auth: '235 2.7.0 Accepted\r\n',
  mail: '250 2.1.0 Ok\r\n',
  rcpt: '250 2.1.5 Ok\r\n',
  data: '354 End data with <CR><LF>.<CR><LF>\r\n',
  message: '250 2.0.0 Ok: queued as 4XyzAb\r\n',
};

const places: Readonly<Record<string, keyof Script>> = {
  EHLO: 'ehlo',
  STAR: 'starttls',
  AUTH: 'auth',
  MAIL: 'mail',
  RCPT: 'rcpt',
  DATA: 'data',
};

export const breaks = {
  fin: (socket: Socket) => void socket.end(),
  rst: (socket: Socket) => void socket.resetAndDestroy(),
  silence: () => undefined,
};

export async function openScriptedServer(script: Script = {}): Promise<ScriptedServer> {
  const lines = { ...usual, ...script };
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const index = heard.push('') - 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    say(socket, lines.greeting);
    const read = reader((place) => say(socket, lines[place]), script.data ?? usual.data);
    socket.on('data', (chunk) => {
      heard[index] += chunk.toString('latin1');
      read(chunk.toString('latin1'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: { protocol: 'smtp', host: '127.0.0.1', port }, heard };
}

function say(socket: Socket, line: Line): void {
  if (typeof line === 'string') socket.write(line);
  else line(socket);
}

/** Calls `at` for each command, and for a message once its dot is there. */
function reader(at: (place: keyof Script) => void, data: Line): (text: string) => void {
  let pending = '';
  let inMessage = false;
  const end = () => (inMessage ? pending.indexOf('\r\n.\r\n') + 5 : pending.indexOf('\r\n') + 2);
  return (text) => {
    pending += text;
    for (let used = end(); used >= (inMessage ? 5 : 2); used = end()) {
      const place = inMessage ? 'message' : places[pending.slice(0, 4).toUpperCase()];
      inMessage = place === 'data' && typeof data === 'string' && data.startsWith('3');
      // A dot alone ends an empty message: the line before it is that of the command.
      pending = (inMessage ? '\r\n' : '') + pending.slice(used);
      if (place !== undefined) at(place);
    }
  };
}
