/** Which protocol is spoken with a service, by its endpoint. */
import type { Endpoint } from '../../adapters/target.ts';
import type { Conversation } from './conversation.ts';
import { HttpConversation } from './http-conversation.ts';
import { PostgresConversation } from './postgres-conversation.ts';

/** One for each connection of the subject's. Nothing of it is used where bytes are only passed both ways (tcp). */
export function openConversation(service: Endpoint): Conversation {
  return service.protocol === 'postgres'
    ? new PostgresConversation()
    : new HttpConversation(service);
}
