/** The reference gate, this target and a real server: what becomes of each recipient, and of a lost reply. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createGate, type Gate } from '../../../gate/index.ts';
import type { EffectTarget, JsonObject } from '../../target.ts';
import { perRecipient } from '../per-recipient.ts';
import { openNamespace, openTarget, request } from './testing/open-rail.ts';
import { breaks, openScriptedServer } from './testing/scripted-server.ts';

function openGate(target: EffectTarget): Gate {
  const ledger = mkdtempSync(join(tmpdir(), 'email-gate-'));
  const check = async () => ({ kind: 'live', expiresAtMs: null, coversReasons: [] }) as const;
  const gate = createGate({ target, ledger, authority: { check }, now: Date.now });
  onTestFinished(async () => {
    await gate.close();
    rmSync(ledger, { recursive: true });
  });
  return gate;
}

const proposalOf = (asked: JsonObject) => ({
  requestId: String(asked.recipient),
  request: asked,
  lease: 'lease-1',
  premises: [],
});

test('each of several recipients is settled on its own, and asking again sends nothing to those', async () => {
  const namespace = await openNamespace();
  const gate = openGate(openTarget(namespace));
  const requests = perRecipient({
    recipients: ['a@b.example', 'nobody@b.example', 'busy@b.example', 'c@b.example'],
    reference: 'order-1',
    from: 'x@y.example',
    subject: 'hi',
    text: 'there',
  });
  const submitAll = async () => {
    const said: string[] = [];
    for (const each of requests) {
      const { outcome, disposition } = await gate.submit(proposalOf(each));
      said.push(`${outcome}, ${disposition}`);
    }
    return said;
  };
  const settled = ['happened, settled', 'refused, settled', 'absent, settled', 'happened, settled'];
  expect(await submitAll()).toEqual(settled);
  expect(await submitAll()).toEqual(settled);
  const recipients = (await namespace.effects()).map(({ substance }) => substance.recipient);
  expect(recipients).toEqual(['a@b.example', 'c@b.example']);
});

test('a mail lost before its dot is absent and may be sent again, one lost after it is nobody’s to say', async () => {
  const before = openGate(openTarget(await openScriptedServer({ data: breaks.rst })));
  expect(await before.submit(proposalOf(request))).toMatchObject({
    outcome: 'absent',
    disposition: 'settled',
  });
  const after = await openScriptedServer({ message: breaks.rst });
  const gate = openGate(openTarget(after));
  for (const _round of [1, 2]) {
    expect(await gate.submit(proposalOf(request))).toMatchObject({
      outcome: 'unknown',
      disposition: 'surfaced',
    });
  }
  expect(after.heard).toHaveLength(1);
});
