/** Which protocol is spoken with a service, by its endpoint. */
import type { Endpoint } from '../../adapters/target.ts';
import type { Conversation } from './conversation.ts';
import { HttpConversation } from './http-conversation.ts';
import { PostgresConversation } from './postgres-conversation.ts';
import { SmtpConversation } from './smtp-conversation.ts';

/** One for each connection of the subject's. Nothing of it is used where bytes are only passed both ways (tcp). */
export function openConversation(service: Endpoint): Conversation {
  switch (service.protocol) {
    case 'postgres':
      return new PostgresConversation();
    case 'smtp':
    case 'smtps':
      return new SmtpConversation();
    case 'http':
    case 'https':
    case 'tcp':
      return new HttpConversation(service);
    default:
      return service.protocol satisfies never;
  }
}
