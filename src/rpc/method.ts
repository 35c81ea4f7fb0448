import type * as z from 'zod';
import type { CallBytes } from '../../packages/ethereum/primitives/call-bytes.ts';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { hasManyMembers } from '../../packages/ethereum/primitives/parse-in-slices.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { type Codec, type JsonObject, readValue, type ValueCounter } from './codec/codec.ts';
import { toZod } from './codec/to-zod.ts';
import type { Call } from './envelope.ts';
import { type ErrorName, RpcError } from './errors.ts';
import { ParamProblem } from './param-problem.ts';

/** Positional parameter of a method. JSON `null` counts as absent for an optional parameter. */
export type Param<T = unknown, R extends boolean = boolean> = {
  readonly name: string;
  readonly description: string;
  readonly required: R;
  readonly codec: Codec<T>;
};

/** Tuple of the parsed values of a list of parameters. */
type ParamValues<P extends readonly Param[]> = {
  readonly [K in keyof P]: P[K] extends Param<infer T, infer R>
    ? R extends true
      ? T
      : T | undefined
    : never;
};

/**
 * Contract scope of a call, checked for keys that are bound to contracts. The scope is a list of raw parameter values; each of them must be an
 * address in the key's list. `anything` means that the scope is unknown; a key that is bound to contracts may not make such a call.
 */
export type ContractScope = readonly unknown[] | 'anything';

/** Name and schema of a result. */
type Result<S> = { readonly name: string; readonly schema: S };

type MethodFacts = {
  /** Wire name. */
  readonly name: string;
  /** Name in metrics and logs, where it differs from the wire name. */
  readonly label?: string;
  readonly summary: string;
  readonly description?: string;
  /** Base credits of one call, in the credit unit of hosted services. */
  readonly cost: number;
  /** Returns the contract scope of a call from its unchecked positional parameters. Never throws. */
  readonly contractScope: (rawParams: readonly unknown[]) => ContractScope;
  /** Whether the method executes contract code. The network's time limit for calls applies to methods that execute code. */
  readonly executes?: boolean;
  /** Whether the service answers the method without a request to a chain. */
  readonly isLocal?: boolean;
  /** Whether the method is passed on to nodes, which define it. The table of methods has no rows for node methods. */
  readonly isNodeMethod?: boolean;
  /** Whether the price table of node methods contains the method. For any other node method, `default` of the configured credits applies. */
  readonly isPriced?: boolean;
  /** Whether only networks with a rollup family serve the method. */
  readonly needsRollup?: boolean;
  /** Whether the method sends transactions. The configuration of a key can forbid methods that send. */
  readonly sends?: boolean;
  /** Whether the method waits for future events. A call of a waiting method needs a request scope of its own. */
  readonly waits?: boolean;
  /** Method that this method builds on. A network that excludes the base method does not serve this method either. */
  readonly base?: string;
  /** Whether a network with nodes serves the method only if the configuration lists the method, or passes on the methods of its namespace. */
  readonly isOptIn?: boolean;
  /** Errors that are specific to this method; errors that any request may have are not listed. */
  readonly errors: readonly ErrorName[];
  readonly example: { readonly params: readonly unknown[]; readonly result: unknown };
};

/**
 * Runs a method with parameters decoded to bytes. Decoding has already checked the parameters.
 * @returns undefined when the method needs the parameters as values
 */
type PlainHandler<C> = (call: CallBytes, context: C) => PromiseOrValue<JsonResult> | undefined;

/** Outcome of one call that `invokeMany` ran. */
export type MethodOutcome = {
  readonly answer: JsonResult | Error;
  /** Whether a request was sent to a node for this call. */
  readonly isRequested: boolean;
};

/** Input of `invokeMany` for one call. */
export type ScopedCall = Omit<Call, 'kind' | 'id' | 'method'>;

type CallOutcomes = PromiseOrValue<readonly (MethodOutcome | undefined)[]> | undefined;

/** Method as seen by the dispatcher, the OpenRPC document and the documentation. */
export type Method<C> = MethodFacts & {
  readonly result: Result<z.ZodType>;
  readonly params: readonly Param[];
  /**
   * Checks raw positional parameters and runs the method.
   * @throws RpcError (synchronously or by rejection) for invalid parameters and expected failures
   */
  invoke(rawParams: readonly unknown[], context: C): PromiseOrValue<JsonResult>;
  readonly invokeFastPath?: PlainHandler<C>;
  /**
   * Runs several calls at once where possible. The result of a call is undefined if that call has to run through `invoke`. The list as a whole is
   * undefined if all calls have to run through `invoke`.
   */
  readonly invokeMany?: (calls: readonly ScopedCall[], context: C) => CallOutcomes;
};

type MethodDefinition<C, P extends readonly Param[]> = MethodFacts & {
  /** Zod schema of the result, or a codec whose schema the result has. */
  readonly result: Result<z.ZodType | Codec<unknown>>;
  readonly params: P;
  handle(params: ParamValues<P>, context: C): PromiseOrValue<JsonResult>;
  /** @param parse returns the parameters of a call, or undefined where they are invalid */
  handleMany?(
    calls: readonly ScopedCall[],
    parse: (call: ScopedCall) => ParamValues<P> | undefined,
    context: C,
  ): CallOutcomes;
  readonly invokeFastPath?: PlainHandler<C>;
};

/** Builds a method from a typed handler and the codecs of its parameters. */
export function defineMethod<C, const P extends readonly Param[]>(
  definition: MethodDefinition<C, P>,
): Method<C> {
  const { params, handle, handleMany, result, ...facts } = definition;
  const { schema } = result;
  return {
    ...facts,
    result: { name: result.name, schema: 'jsonSchema' in schema ? toZod(schema) : schema },
    params,
    invoke: (rawParams, context) => handle(parseParams(params, rawParams) as ParamValues<P>, context),
    ...(handleMany !== undefined && {
      invokeMany: (calls: readonly ScopedCall[], context: C) =>
        handleMany(calls, (call) => parseValid(params, call.params) as ParamValues<P> | undefined, context),
    }),
  };
}

/** Returns the parsed parameters, or undefined where they are invalid. */
function parseValid(params: readonly Param[], rawParams: readonly unknown[]): unknown[] | undefined {
  try {
    return parseParams(params, rawParams);
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** Outcome of parsing a list of parameters in `prepareParams`. `OUTCOMES` maps each raw parameter list to its outcome. */
type Outcome = { readonly params: readonly Param[] } & (
  | { readonly values: unknown[] }
  | { readonly error: RpcError }
);
const OUTCOMES = new WeakMap<readonly unknown[], Outcome>();

/**
 * Parses positional parameters. If `prepareParams` has already parsed the list, its stored outcome is used.
 * @throws RpcError in geth's words when a parameter is missing, malformed or superfluous
 */
export function parseParams(params: readonly Param[], rawParams: readonly unknown[]): unknown[] {
  const outcome = OUTCOMES.get(rawParams);
  if (outcome?.params === params) {
    if ('error' in outcome) throw outcome.error;
    return outcome.values;
  }
  const values: unknown[] = [];
  for (let i = 0; i < params.length; i++) values.push(parseParam(params[i] as Param, i, rawParams[i]));
  checkCount(params, rawParams);
  return values;
}

function parseParam({ codec, required }: Param, position: number, raw: unknown): unknown {
  if (raw === undefined || raw === null) return readAbsent(required, position);
  try {
    return readValue(codec, raw);
  } catch (error) {
    throw describeInvalid(error, position);
  }
}

/** Parses parameters with pauses. A later `parseParams` of the same parameter list uses the stored outcome. */
export function* prepareParams(
  params: readonly Param[],
  rawParams: readonly unknown[],
  pace: ValueCounter,
): Generator<undefined, void> {
  try {
    const values: unknown[] = [];
    for (const [i, param] of params.entries()) values.push(yield* prepareParam(param, i, rawParams[i], pace));
    checkCount(params, rawParams);
    OUTCOMES.set(rawParams, { params, values });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    OUTCOMES.set(rawParams, { params, error });
  }
}

function* prepareParam(
  param: Param,
  position: number,
  raw: unknown,
  pace: ValueCounter,
): Generator<undefined, unknown> {
  const { codec } = param;
  if (pace.count()) yield;
  if (raw === undefined || raw === null || codec.parseInPieces === undefined)
    return parseParam(param, position, raw);
  try {
    return yield* codec.parseInPieces(raw, pace);
  } catch (error) {
    throw describeInvalid(error, position);
  }
}

/**
 * Whether parameters may be large enough for `prepareParams`. Small parameters, such as the many parameter lists of a batch, are parsed faster
 * without pauses.
 */
export function areLarge(rawParams: readonly unknown[]): boolean {
  return rawParams.some(hasParts);
}

/** Whether a value is a list, an object with many members, or an object with a nested list or object. */
function hasParts(raw: unknown): boolean {
  if (typeof raw !== 'object' || raw === null) return false;
  if (Array.isArray(raw) || hasManyMembers(raw)) return true;
  for (const name in raw) {
    const member = (raw as JsonObject)[name];
    if (typeof member === 'object' && member !== null) return true;
  }
  return false;
}

function readAbsent(isRequired: boolean, position: number): undefined {
  if (isRequired) throw new RpcError('invalidParams', `missing value for required argument ${position}`);
}

function checkCount(params: readonly Param[], rawParams: readonly unknown[]): void {
  if (rawParams.length <= params.length) return;
  throw new RpcError('invalidParams', `too many arguments, want at most ${params.length}`);
}

/** Converts a parameter problem to the error for the client. Any other error is returned unchanged. */
function describeInvalid(error: unknown, position: number): unknown {
  if (!(error instanceof ParamProblem)) return error;
  return new RpcError('invalidParams', `invalid argument ${position}: ${error.message}`);
}
