import * as z from 'zod';
import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { JsonSchema } from './codec/codec.ts';
import { describeMessage, ERRORS } from './errors.ts';
import type { Method } from './method.ts';

/** Returns the JSON Schema of a result. */
export function describeResult({ result }: Pick<Method<never>, 'result'>): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(result.schema, { io: 'output', unrepresentable: 'any' });
  return rest;
}

/**
 * Encodes the OpenRPC 1.3 document of these methods.
 * @param names additional names under which networks currently serve a method, by method name
 */
export function encodeOpenRpc<C>(
  methods: readonly Method<C>[],
  version: string,
  names: ReadonlyMap<string, readonly string[]> = new Map(),
): JsonText {
  return JSON.stringify({
    openrpc: '1.3.2',
    info: {
      title: 'Portcullis',
      version,
      description: 'JSON-RPC 2.0 gateway to blockchain nodes: read and estimation methods.',
    },
    methods: methods.map((method) => describeMethod(method, names.get(method.name) ?? [])),
  });
}

function describeMethod<C>(method: Method<C>, names: readonly string[]): Record<string, unknown> {
  return {
    name: method.name,
    summary: method.summary,
    ...(method.description === undefined ? {} : { description: method.description }),
    paramStructure: 'by-position',
    params: method.params.map(({ name, description, required, codec }) => ({
      name,
      description,
      required,
      schema: codec.jsonSchema,
    })),
    result: { name: method.result.name, schema: describeResult(method) },
    errors: method.errors.map((name) => ({ code: ERRORS[name].code, message: describeMessage(name) })),
    'x-cost': method.cost,
    ...(method.needsRollup === true && { 'x-rollups-only': true }),
    ...(names.length > 0 && { 'x-served-as': names }),
    examples: [
      {
        name: method.name,
        params: method.example.params.map((value, i) => ({ name: method.params[i]?.name, value })),
        result: { name: method.result.name, value: method.example.result },
      },
    ],
  };
}
