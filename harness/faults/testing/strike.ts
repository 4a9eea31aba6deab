/** Strikes a real request with a fault: a client, a wire and a little service with a journal. */
import type { WireFaultName } from '../../model/fault-table.ts';
import type { ObservedEvent } from '../../model/history.ts';
import { post, type Sent, startLittleService } from '../../wire/testing/little-service.ts';
import { openWire } from '../../wire/wire.ts';
import type { Circumstances } from '../fault.ts';
import { createFaultInjector } from '../index.ts';

export interface Strike {
  /** What the first and the second of two equal requests got. */
  readonly first: Sent;
  readonly second: Sent;
  /** What the service had done when both were over, and after what was held had been released. */
  readonly journal: readonly string[];
  readonly journalAfterRelease: readonly string[];
  /** The events of the first request, by type; those of connections and of the fault have none. */
  readonly steps: readonly string[];
  readonly events: readonly ObservedEvent[];
  readonly fired: boolean;
}

/** Enough for an answer on a busy machine, and short enough to wait out. */
const clientTimeoutMs = 400;

export async function strike(
  fault: WireFaultName,
  given: Partial<Circumstances> = {},
): Promise<Strike> {
  const events: ObservedEvent[] = [];
  const observe = (event: ObservedEvent) => void events.push(event);
  const service = await startLittleService();
  const foreignReply = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\ndid another');
  const injector = createFaultInjector({
    fault: { fault, phase: 'resend' },
    observe,
    circumstances: { foreignReply, clientTimeoutMs, ...given },
  });
  const wire = openWire({ upstream: service.endpoint, decisions: injector, observe });
  try {
    const endpoint = await wire.listen(1);
    injector.enter('resend');
    const first = await post(endpoint, 'first', clientTimeoutMs);
    const second = await post(endpoint, 'second', 2000);
    await wire.whenSenderGone(1, 1000);
    const journal = [...service.journal];
    wire.release();
    await wire.whenQuiet(1000);
    const steps = events.flatMap((event) =>
      'request' in event && event.request === 1 && event.type !== 'fault-fired' ? [event.type] : [],
    );
    return {
      first,
      second,
      journal,
      journalAfterRelease: [...service.journal],
      steps,
      events,
      fired: injector.fired(),
    };
  } finally {
    await wire.close();
    await service.close();
  }
}
