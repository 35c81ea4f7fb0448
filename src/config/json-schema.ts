import * as z from 'zod';
import { configSchema } from './config.ts';
import { mayHoldSecret, REFERENCE_PATTERN } from './secrets.ts';

/** Members of a JSON Schema (draft 7) that describe a configuration. */
export type OptionSchema = {
  readonly type?: string;
  /** `duration` and `size` are types of their own. */
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: OptionSchema | boolean;
  readonly items?: OptionSchema;
  readonly anyOf?: readonly OptionSchema[];
};

/** Key of a map whose keys the operator chooses, in paths of options. */
export const ANY_NAME = 'NAME';

let schema: OptionSchema | undefined;

/** Returns the JSON Schema of a configuration file. It does not contain conditions between several values, which `checkConfig` checks. */
export function readJsonSchema(): OptionSchema {
  schema ??= createJsonSchema();
  return schema;
}

function createJsonSchema(): OptionSchema {
  const json = z.toJSONSchema(configSchema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const { def } = zodSchema._zod;
      if (def.type !== 'pipe' || def.in._zod.def.type !== 'transform') return;
      // A preprocessed value may also be a text, such as a URL in place of a row of `upstreams`.
      const { description, ...row } = jsonSchema;
      for (const key of Object.keys(row)) delete jsonSchema[key as keyof typeof row];
      jsonSchema.anyOf = [{ type: 'string' }, row];
    },
  });
  return admitVariables(json as OptionSchema, []);
}

/** Adds the form `${NAME}` to options whose value may be an environment variable. */
function admitVariables(option: OptionSchema, path: readonly string[]): OptionSchema {
  const { properties, additionalProperties, items, anyOf, ...rest } = option;
  const isBound = rest.pattern !== undefined || rest.minLength !== undefined;
  if (rest.type === 'string' && isBound && mayHoldSecret(path)) {
    const { description, ...text } = rest;
    return {
      ...(description !== undefined && { description }),
      anyOf: [text, { type: 'string', pattern: REFERENCE_PATTERN }],
    };
  }
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, one]) => [key, admitVariables(one, [...path, key])]),
      ),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean'
          ? additionalProperties
          : admitVariables(additionalProperties, [...path, ANY_NAME]),
    }),
    ...(items !== undefined && { items: admitVariables(items, [...path, '[]']) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map((one) => admitVariables(one, path)) }),
  };
}

/** One option of the configuration. */
export type ConfigOption = {
  /** Path in the form `networks.NAME.upstreams[].url`. */
  readonly path: string;
  readonly schema: OptionSchema;
  readonly isRequired: boolean;
};

let options: readonly ConfigOption[] | undefined;

/** Returns all options, each map before its members. */
export function listOptions(): readonly ConfigOption[] {
  options ??= listBelow(readJsonSchema(), '');
  return options;
}

function listBelow(parent: OptionSchema, path: string): ConfigOption[] {
  const prefix = path === '' ? '' : `${path}.`;
  return listForms(parent).flatMap(({ properties = {}, required = [], additionalProperties, items }) => [
    ...Object.entries(properties).flatMap(([key, one]) => [
      { path: `${prefix}${key}`, schema: one, isRequired: required.includes(key) },
      ...listBelow(one, `${prefix}${key}`),
    ]),
    ...(typeof additionalProperties === 'object'
      ? listBelow(additionalProperties, `${prefix}${ANY_NAME}`)
      : []),
    ...(items === undefined ? [] : listBelow(items, `${path}[]`)),
  ]);
}

/** Returns a schema and all its alternatives (`anyOf`). */
export function listForms(option: OptionSchema): OptionSchema[] {
  return [option, ...(option.anyOf ?? []).flatMap(listForms)];
}
