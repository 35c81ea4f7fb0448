/** The parts of the service's OpenRPC document that the console reads. */
export type OpenRpcSchema = {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenRpcSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenRpcSchema;
  readonly oneOf?: readonly OpenRpcSchema[];
  readonly anyOf?: readonly OpenRpcSchema[];
};

export type ParamDoc = {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: OpenRpcSchema;
};

export type MethodDoc = {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly params: readonly ParamDoc[];
  readonly result: { readonly schema: OpenRpcSchema };
  readonly examples: readonly { readonly params: readonly { readonly value: unknown }[] }[];
  readonly 'x-rollups-only'?: boolean;
};

/** Returns all alternatives (`oneOf`, `anyOf`) of a schema, or the schema itself if it has none. */
export function listAlternatives(schema: OpenRpcSchema): readonly OpenRpcSchema[] {
  const branches = schema.oneOf ?? schema.anyOf;
  return branches === undefined ? [schema] : branches.flatMap(listAlternatives);
}
