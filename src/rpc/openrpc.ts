import * as z from 'zod';
import type { JsonText } from '../primitives/json-result.ts';
import { describeMessage, ERRORS } from './errors.ts';
import type { Method } from './method.ts';

/** JSON Schema of what a client may send (`input`) or gets back (`output`). */
export function toJsonSchema(schema: z.ZodType, side: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: side, unrepresentable: 'any' });
  return rest;
}

/** The OpenRPC 1.3 document of these methods. */
export function encodeOpenRpc<C>(methods: readonly Method<C>[], version: string): JsonText {
  return JSON.stringify({
    openrpc: '1.3.2',
    info: {
      title: 'Portcullis',
      version,
      description: 'JSON-RPC 2.0 gateway to blockchain nodes: read and estimation methods.',
    },
    methods: methods.map(describeMethod),
  });
}

function describeMethod<C>(method: Method<C>): Record<string, unknown> {
  return {
    name: method.name,
    summary: method.summary,
    ...(method.description === undefined ? {} : { description: method.description }),
    paramStructure: 'by-position',
    params: method.params.map(({ name, description, required, schema }) => ({
      name,
      description,
      required,
      schema: toJsonSchema(schema, 'input'),
    })),
    result: { name: method.result.name, schema: toJsonSchema(method.result.schema, 'output') },
    errors: method.errors.map((name) => ({ code: ERRORS[name].code, message: describeMessage(name) })),
    'x-cost': method.cost,
    ...(method.needsRollup === true && { 'x-rollups-only': true }),
    examples: [
      {
        name: method.name,
        params: method.example.params.map((value, i) => ({ name: method.params[i]?.name, value })),
        result: { name: method.result.name, value: method.example.result },
      },
    ],
  };
}
