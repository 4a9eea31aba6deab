/** A rail and its target, opened for one test of what people do at a service, and what they promise. */
import { onTestFinished } from 'vitest';
import {
  type HeldRequest,
  type Rail,
  type RailNamespace,
  type RailWorldEvent,
  railWorldEvents,
} from '../rail.ts';
import type { EffectTarget, JsonObject, Premise } from '../target.ts';

export type Kind = Premise['kind'];

export interface Adapter {
  openRail(): Promise<Rail>;
  openTarget(namespace: RailNamespace): EffectTarget;
  /** What its declaration and its rail say, where that is less than everything; a test compares them. */
  readonly promises?: Partial<Promises>;
}

/** What of the suite applies. */
export interface Promises {
  readonly kinds: readonly Kind[];
  readonly events: readonly RailWorldEvent[];
  readonly onceByState: boolean;
  readonly guardsPremises: boolean;
  readonly seesDeletions: boolean;
}

export function promisesOf({ promises }: Adapter): Promises {
  return {
    kinds: ['value-equals', 'version-unchanged'],
    events: railWorldEvents,
    onceByState: false,
    guardsPremises: false,
    seesDeletions: true,
    ...promises,
  };
}

export interface Scene {
  readonly namespace: RailNamespace;
  readonly target: EffectTarget;
  readonly request: JsonObject;
  /** About something else where the service permits each effect once. */
  readonly distinct: JsonObject;
  world(event: RailWorldEvent, request?: JsonObject): Promise<void>;
  hold(): HeldRequest;
  apply(key?: string, request?: JsonObject): ReturnType<EffectTarget['apply']>;
}

export type Open = () => Promise<Scene>;

export async function openScene(adapter: Adapter): Promise<Scene> {
  const rail = await adapter.openRail();
  onTestFinished(() => rail.close());
  return openSceneIn(adapter, await rail.openNamespace('one'));
}

export function openSceneIn(adapter: Adapter, namespace: RailNamespace): Scene {
  const { request, distinct } = namespace.examples(1);
  const target = adapter.openTarget(namespace);
  const { world, hold } = namespace;
  if (world === undefined || hold === undefined) {
    throw new Error('expected a rail that changes the world and holds requests');
  }
  return {
    namespace,
    target,
    request,
    distinct,
    world: (event, about = request) => world(event, about),
    hold,
    apply: (key = 'ours', about = request) => target.apply({ key, request: about, attempt: 1 }),
  };
}
