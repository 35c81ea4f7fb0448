import { type Codec, isJsonObject, type JsonObject, type JsonSchema } from '../rpc/codec/codec.ts';
import { RpcError } from '../rpc/errors.ts';
import { ParamProblem } from '../rpc/param-problem.ts';
import { pointToNames } from '../util/near-name.ts';
import { ToolError } from './tool-error.ts';
import type { ToolRun } from './tool-run.ts';

/** Tool as the server lists and calls it. */
export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Methods that the tool requests: a key needs permission for them. `*` stands for the method that the caller names. */
  readonly methods: readonly string[];
  /** Whether the tool reports about all networks, and therefore takes no argument `network`. */
  readonly isOfAllNetworks?: boolean;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonSchema;
  /** @throws ToolError for invalid arguments and expected failures */
  run(args: JsonObject, run: ToolRun): Promise<JsonObject>;
};

type ToolDefinition<T> = Omit<Tool, 'inputSchema' | 'run'> & {
  /** Codec of the arguments. The argument `network` is not part of it. */
  readonly args: Codec<T>;
  handle(args: T, run: ToolRun): Promise<JsonObject>;
};

/** Builds a tool from the codec of its arguments and a typed handler. */
export function defineTool<T>({ args: codec, handle, ...facts }: ToolDefinition<T>): Tool {
  const {
    properties = {},
    title: _,
    ...schema
  } = codec.jsonSchema as {
    readonly properties?: JsonObject;
    readonly title?: string;
  };
  const names = Object.keys(properties);
  return {
    ...facts,
    inputSchema: { ...schema, properties, additionalProperties: false },
    run: async (args, run) => handle(parseArguments(codec, names, args), run),
  };
}

/** @throws ToolError that names the argument */
function parseArguments<T>(codec: Codec<T>, names: readonly string[], args: unknown): T {
  if (!isJsonObject(args)) throw new ToolError('the arguments are not an object');
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const name = JSON.stringify(unknown.slice(0, 80));
    throw new ToolError(`there is no argument ${name}${pointToNames(unknown, names)}`);
  }
  return parseArgument(codec, args);
}

/** @throws ToolError that says what is wrong with the value */
export function parseArgument<T>(codec: Codec<T>, value: unknown): T {
  try {
    return codec.parse(value);
  } catch (error) {
    if (error instanceof ParamProblem || error instanceof RpcError)
      throw new ToolError(`invalid arguments: ${error.message}`);
    throw error;
  }
}
