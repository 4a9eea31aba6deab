import { describe, onTestFinished } from 'vitest';
import type { RailNamespace } from '../rail.ts';
import { railWorldEvents } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import { describeWorld } from '../testing/world-suite.ts';
import { createRail } from './rail.ts';
import { createTarget } from './target.ts';

function open({ endpoint, credentials }: RailNamespace, options: JsonObject) {
  const all = { clientTimeoutMs: 5_000, lagMs: 0, ...options };
  const target = createTarget({ endpoint, credentials, options: all, now: Date.now });
  onTestFinished(() => target.close?.());
  return target;
}

const onlyValues = ['value-equals'] as const;

describe('merges', () => {
  describeWorld({
    openRail: () => createRail({ options: { operation: 'merge' } }),
    openTarget: (namespace) => open(namespace, { operation: 'merge' }),
    promises: {
      kinds: onlyValues,
      events: railWorldEvents.filter((event) => event !== 'undone-by-hand'),
      onceByState: true,
      guardsPremises: true,
    },
  });
});

describe('comments', () => {
  describeWorld({
    openRail: () => createRail({ options: { operation: 'comment' } }),
    openTarget: (namespace) => open(namespace, { operation: 'comment', pageSize: 3 }),
    promises: { kinds: onlyValues, seesDeletions: false },
  });
});
