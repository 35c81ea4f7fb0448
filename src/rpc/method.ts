import * as z from 'zod';
import type { JsonResult } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { type Acceptor, findAcceptor } from './acceptors.ts';
import { type ErrorName, RpcError } from './errors.ts';
import { describeIssue, formatProblem } from './param-problem.ts';

/** One positional parameter. JSON `null` for an optional one counts as not given. */
export type Param<T = unknown, R extends boolean = boolean> = {
  readonly name: string;
  readonly description: string;
  readonly required: R;
  readonly schema: z.ZodType<T>;
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

type MethodFacts = {
  /** Name on the wire. */
  readonly name: string;
  /** What metrics and logs call it, where that is not its name. */
  readonly label?: string;
  readonly summary: string;
  readonly description?: string;
  readonly result: { readonly name: string; readonly schema: z.ZodType };
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
  /** Whether only networks with a rollup family have it. */
  readonly needsRollup?: boolean;
  /** Whether networks of nodes have it only where they list it by name. */
  readonly isOptIn?: boolean;
  /** Errors beyond those that any request can meet. */
  readonly errors: readonly ErrorName[];
  readonly example: { readonly params: readonly unknown[]; readonly result: unknown };
};

/** A method as the dispatcher, the OpenRPC document and the documentation see it. */
export type Method<C> = MethodFacts & {
  readonly params: readonly Param[];
  /**
   * Checks raw positional parameters and runs the method.
   * @throws RpcError (at once or by rejection) for bad parameters and expected failures.
   */
  invoke(rawParams: readonly unknown[], context: C): PromiseOrValue<JsonResult>;
};

type MethodDefinition<C, P extends readonly Param[]> = MethodFacts & {
  readonly params: P;
  handle(params: ParamValues<P>, context: C): PromiseOrValue<JsonResult>;
};

/** Binds a typed handler to the schemas of its parameters. */
export function defineMethod<C, const P extends readonly Param[]>(
  definition: MethodDefinition<C, P>,
): Method<C> {
  const { params, handle, ...facts } = definition;
  const acceptors = params.map(({ schema }) => findAcceptor(schema));
  return {
    ...facts,
    params,
    invoke(rawParams, context) {
      const values = acceptParams(params, acceptors, rawParams) ?? parseParams(params, rawParams);
      return handle(values as ParamValues<P>, context);
    },
  };
}

/** The values of parameters that are all plainly valid; what `parseParams` says to any other is not known here. */
function acceptParams(
  params: readonly Param[],
  acceptors: readonly (Acceptor | undefined)[],
  rawParams: readonly unknown[],
): unknown[] | undefined {
  if (rawParams.length > params.length) return undefined;
  const values: unknown[] = [];
  for (let i = 0; i < params.length; i++) {
    const raw = rawParams[i] ?? undefined;
    const value = raw === undefined ? undefined : acceptors[i]?.(raw);
    if (value === undefined && (raw !== undefined || params[i]?.required === true)) return undefined;
    values.push(value);
  }
  return values;
}

const PARSE_CONTEXT = { error: describeIssue, async: false } as const;

/** @throws RpcError in geth's words when a parameter is missing, malformed or too much. */
export function parseParams(params: readonly Param[], rawParams: readonly unknown[]): unknown[] {
  const values = params.map((param, i) => parseParam(param, i, rawParams[i]));
  if (rawParams.length > params.length) {
    throw new RpcError('invalidParams', `too many arguments, want at most ${params.length}`);
  }
  return values;
}

function parseParam(param: Param, position: number, raw: unknown): unknown {
  if (raw === undefined || raw === null) {
    if (!param.required) return undefined;
    throw new RpcError('invalidParams', `missing value for required argument ${position}`);
  }
  // Not safeParse: it words every issue, which for 100,000 wrong values costs most of a second, to show one of them.
  const parsed = param.schema._zod.run({ value: raw, issues: [] }, PARSE_CONTEXT);
  if (parsed instanceof Promise) throw new TypeError('a schema of parameters must not be asynchronous');
  const [first] = parsed.issues;
  if (first === undefined) return parsed.value;
  const issue = z.util.finalizeIssue(first, PARSE_CONTEXT, z.config());
  throw new RpcError('invalidParams', `invalid argument ${position}: ${formatProblem(issue)}`);
}
