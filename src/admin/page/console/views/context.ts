import type { KnownInterfaces } from '../abi/known-interfaces.ts';
import type { OpenRpcSchema } from '../open-rpc.ts';

/** Facts of a request that determine how its answer is displayed. */
export type ViewContext = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Schema of the method's result; empty for methods that the service only forwards. */
  readonly schema: OpenRpcSchema;
  readonly interfaces: KnownInterfaces;
};

/** Object of an answer. Nodes may omit members, or return other types. */
export type AnswerObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is AnswerObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the objects of a list; other elements are left out. */
export function listObjects(value: unknown): readonly AnswerObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
