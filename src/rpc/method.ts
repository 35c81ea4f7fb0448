import type * as z from 'zod';
import type { CallBytes } from '../primitives/call-bytes.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import { hasManyMembers } from '../primitives/parse-in-slices.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { type Codec, type JsonObject, type Pace, readValue } from './codec/codec.ts';
import { toZod } from './codec/to-zod.ts';
import type { Call } from './envelope.ts';
import { type ErrorName, RpcError } from './errors.ts';
import { ParamProblem } from './param-problem.ts';

/** One positional parameter. JSON `null` for an optional one counts as not given. */
export type Param<T = unknown, R extends boolean = boolean> = {
  readonly name: string;
  readonly description: string;
  readonly required: R;
  readonly codec: Codec<T>;
};

/** The typed values of a list of parameters. */
type ParamValues<P extends readonly Param[]> = {
  readonly [K in keyof P]: P[K] extends Param<infer T, infer R>
    ? R extends true
      ? T
      : T | undefined
    : never;
};

/**
 * The contracts that a call touches, as far as keys may be bound to contracts: values of its parameters, as they were sent, that
 * have to be addresses of the key's list. `anything`: it cannot be said which, so that no such key may make the call.
 */
export type Touched = readonly unknown[] | 'anything';

/** A result and the schema of its form. */
type Result<S> = { readonly name: string; readonly schema: S };

type MethodFacts = {
  /** Name on the wire. */
  readonly name: string;
  /** What metrics and logs call it, where that is not its name. */
  readonly label?: string;
  readonly summary: string;
  readonly description?: string;
  /** What one call weighs against a limit, in the credits that hosted services count. */
  readonly cost: number;
  /** What a call with these positional parameters touches; they have not been checked. Never throws. */
  readonly touches: (rawParams: readonly unknown[]) => Touched;
  /** Whether it runs contract code, so that the network's time limit for calls applies. */
  readonly executes?: boolean;
  /** Whether it is answered without anything that a chain would have to be asked for. */
  readonly isLocal?: boolean;
  /** Whether nodes answer it as they like: it has no row in the table of methods. */
  readonly isNodeMethod?: boolean;
  /** Whether the table of prices of nodes' methods names it: `default` of the configured credits is for the others. */
  readonly isPriced?: boolean;
  /** Whether only networks with a rollup family have it. */
  readonly needsRollup?: boolean;
  /** Whether it sends transactions, which a key may be kept from. */
  readonly sends?: boolean;
  /** Whether it waits for what is still to happen, so that it has a scope of its own. */
  readonly waits?: boolean;
  /** A method that it is made of: a network that leaves that out does not have this one either. */
  readonly base?: string;
  /** Whether networks of nodes have it only where they list it, or pass on its namespace. */
  readonly isOptIn?: boolean;
  /** Errors beyond those that any request can meet. */
  readonly errors: readonly ErrorName[];
  readonly example: { readonly params: readonly unknown[]; readonly result: unknown };
};

/**
 * Runs a method with parameters that were read into bytes, which need no checks.
 * @returns undefined when they have to be values
 */
type PlainHandler<C> = (call: CallBytes, context: C) => PromiseOrValue<JsonResult> | undefined;

/** What one of several calls came to that were run together. */
export type CallOutcome = {
  readonly answer: JsonResult | Error;
  /** Whether a node was asked for it. */
  readonly isAsked: boolean;
};

/** One of them, with what was read of its parameters. */
export type GivenCall = Omit<Call, 'kind' | 'id' | 'method'>;

type CallOutcomes = PromiseOrValue<readonly (CallOutcome | undefined)[]> | undefined;

/** A method as the dispatcher, the OpenRPC document and the documentation see it. */
export type Method<C> = MethodFacts & {
  readonly result: Result<z.ZodType>;
  readonly params: readonly Param[];
  /**
   * Checks raw positional parameters and runs the method.
   * @throws RpcError (at once or by rejection) for bad parameters and expected failures.
   */
  invoke(rawParams: readonly unknown[], context: C): PromiseOrValue<JsonResult>;
  readonly invokePlain?: PlainHandler<C>;
  /**
   * Runs several calls together, as far as that is possible: undefined in the place of one that is to be run by `invoke`, and as a whole where
   * none can be.
   */
  readonly invokeMany?: (calls: readonly GivenCall[], context: C) => CallOutcomes;
};

type MethodDefinition<C, P extends readonly Param[]> = MethodFacts & {
  /** A codec stands for the schema of what it parses. */
  readonly result: Result<z.ZodType | Codec<unknown>>;
  readonly params: P;
  handle(params: ParamValues<P>, context: C): PromiseOrValue<JsonResult>;
  /** @param parse parameters of a call: undefined where they are not valid */
  handleMany?(
    calls: readonly GivenCall[],
    parse: (call: GivenCall) => ParamValues<P> | undefined,
    context: C,
  ): CallOutcomes;
  readonly invokePlain?: PlainHandler<C>;
};

/** Binds a typed handler to the codecs of its parameters. */
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
      invokeMany: (calls: readonly GivenCall[], context: C) =>
        handleMany(calls, (call) => parseValid(params, call.params) as ParamValues<P> | undefined, context),
    }),
  };
}

/** Parameters, undefined where they are not valid. */
function parseValid(params: readonly Param[], rawParams: readonly unknown[]): unknown[] | undefined {
  try {
    return parseParams(params, rawParams);
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** What came of parameters that were parsed in pieces, by the list that they came in. */
type Outcome = { readonly params: readonly Param[] } & (
  | { readonly values: unknown[] }
  | { readonly error: RpcError }
);
const OUTCOMES = new WeakMap<readonly unknown[], Outcome>();

/** @throws RpcError in geth's words when a parameter is missing, malformed or too much. */
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

/** Parses parameters with pauses. `parseParams` of the same list has the outcome then. */
export function* prepareParams(
  params: readonly Param[],
  rawParams: readonly unknown[],
  pace: Pace,
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
  pace: Pace,
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

/** Whether parameters may be large enough for `prepareParams`: small ones, of which a batch has many, are parsed faster without pauses. */
export function areLarge(rawParams: readonly unknown[]): boolean {
  return rawParams.some(hasParts);
}

/** Whether a value is a list, or an object with something in it that has parts of its own, or with many members. */
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

/** A problem of a parameter as the client sees it; any other error as it is. */
function describeInvalid(error: unknown, position: number): unknown {
  if (!(error instanceof ParamProblem)) return error;
  return new RpcError('invalidParams', `invalid argument ${position}: ${error.message}`);
}
