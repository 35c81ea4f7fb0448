/** The parts of the service's OpenRPC document that the console reads. */
export type JsonSchema = {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
};

export type ParamDoc = {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
};

export type MethodDoc = {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly params: readonly ParamDoc[];
  readonly result: { readonly schema: JsonSchema };
  readonly examples: readonly { readonly params: readonly { readonly value: unknown }[] }[];
  readonly 'x-rollups-only'?: boolean;
};

/** Returns all alternatives of a schema, or the schema itself where it has none. */
export function listAlternatives(schema: JsonSchema): readonly JsonSchema[] {
  const branches = schema.oneOf ?? schema.anyOf;
  return branches === undefined ? [schema] : branches.flatMap(listAlternatives);
}
