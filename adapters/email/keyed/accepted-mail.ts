/** A mail as it was asked for, and as the service has it. */
import type { JournalEffect } from '../../rail.ts';

export interface Tag {
  readonly name: string;
  readonly value: string;
}

export interface MailMessage {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: readonly Tag[];
}

export type Actor = JournalEffect['actor'];

export interface AcceptedMail {
  readonly id: string;
  /** Of the service's own making, whatever was asked for. */
  readonly messageId: string;
  readonly message: MailMessage;
  readonly actor: Actor;
  readonly atMs: number;
}
