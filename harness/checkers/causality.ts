/**
 * Which two events can have caused one another, in either direction. Events that can't may be seen
 * in either order, so no verdict may depend on it; the checkers are tested against this relation.
 *
 * Related are: a phase of the trial and everything; the births and deaths of processes, their coming to
 * a point, being paused and going on, the service that stands still and goes on, and the change of the
 * world, all of which the harness waits for or does; a process that goes on and the messages of every
 * other, since it is let go on only after they were heard; what one lifetime of the subject is sent,
 * says, suffers and does on the wire; the events of one request, and of one connection; events of the harness and the rail of the same
 * kind. Unrelated are, among others: requests on two connections, messages of two processes, a
 * request of one process and a message of another, and the closing of a connection and anything but
 * that connection.
 */
import { type ObservedEvent, witnessOf } from '../model/history.ts';

export function areRelated(left: ObservedEvent, right: ObservedEvent): boolean {
  if (left.type === 'phase' || right.type === 'phase') return true;
  if (isLifetime(left) && isLifetime(right)) return true;
  if ((isGoingOn(left) && isMessage(right)) || (isMessage(left) && isGoingOn(right))) return true;
  if (isClosing(left) || isClosing(right)) return shareConnection(left, right);
  if (shareRequest(left, right) || shareConnection(left, right)) return true;
  if (isOnWire(left) && isOnWire(right)) {
    return isAboutConnection(left) && isAboutConnection(right) && shareIncarnation(left, right);
  }
  if (shareIncarnation(left, right)) return true;
  return !('incarnation' in left) && left.type === right.type;
}

function isLifetime(event: ObservedEvent): boolean {
  switch (event.type) {
    case 'spawned':
    case 'point-reached':
    case 'kill-sent':
    case 'paused':
    case 'resumed':
    case 'exited':
    case 'work-held':
    case 'work-released':
    case 'world':
      return true;
    default:
      return false;
  }
}

function isGoingOn(event: ObservedEvent): boolean {
  return event.type === 'resumed' || (event.type === 'sent' && event.message.type === 'go');
}

function isMessage(event: ObservedEvent): boolean {
  return event.type === 'sent' || event.type === 'said';
}

function isClosing(event: ObservedEvent): boolean {
  return event.type === 'connection' && event.what === 'closed';
}

function isOnWire(event: ObservedEvent): boolean {
  return witnessOf[event.type] === 'wire';
}

/** A fault without a request met a connection, and nothing says which. */
function isAboutConnection(event: ObservedEvent): boolean {
  return event.type === 'connection' || (event.type === 'fault-fired' && event.request === null);
}

function shareIncarnation(left: ObservedEvent, right: ObservedEvent): boolean {
  return 'incarnation' in left && 'incarnation' in right && left.incarnation === right.incarnation;
}

function shareRequest(left: ObservedEvent, right: ObservedEvent): boolean {
  return 'request' in left && 'request' in right && left.request === right.request;
}

function shareConnection(left: ObservedEvent, right: ObservedEvent): boolean {
  return 'connection' in left && 'connection' in right && left.connection === right.connection;
}
