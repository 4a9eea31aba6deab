/** Zod's view of plain JSON, shared by every schema that carries some. */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../adapters/target.ts';

export const jsonValue: z.ZodType<JsonValue> = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(jsonValue),
    z.record(z.string(), jsonValue),
  ]),
);
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), jsonValue);
