/** Stands in for `email/smtp/send-once.ts`: the mark is made when the server has answered. */
import {
  type Ending,
  type Mailing,
  type MailServer,
  MailCall as SoundCall,
} from '../email/smtp/send-once.ts';

export * from '../email/smtp/send-once.ts';

export class MailCall {
  readonly ended: Promise<Ending>;
  readonly #call: SoundCall;

  constructor(server: MailServer, mailing: Mailing) {
    this.#call = new SoundCall(server, { ...mailing, beforeDot: undefined });
    this.ended = this.#call.ended.then((ending) => {
      mailing.beforeDot?.();
      return ending;
    });
  }

  cut(): void {
    this.#call.cut();
  }
}
