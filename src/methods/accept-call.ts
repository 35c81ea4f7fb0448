import type { z } from 'zod';
import type { CallObject } from '../chain/chain.ts';
import { type Acceptor, findAcceptor } from '../rpc/acceptors.ts';
import { address, data, quantity64, quantity256 } from '../rpc/schemas.ts';

/** Schemas of the fields that nearly all calls are made of, in the order in which the schema leaves them. */
const COMMON_FIELDS: { readonly [K in keyof CallObject]?: z.ZodType<string> } = {
  from: address,
  to: address,
  gas: quantity64,
  gasPrice: quantity256,
  maxFeePerGas: quantity256,
  maxPriorityFeePerGas: quantity256,
  value: quantity256,
  nonce: quantity64,
  data,
  input: data,
  type: quantity64,
  chainId: quantity256,
};

type CommonField = { readonly place: number; readonly accept: Acceptor<string> | undefined };

const BY_NAME: ReadonlyMap<string, CommonField> = new Map(
  Object.entries(COMMON_FIELDS).map(([name, schema], place) => [
    name,
    { place, accept: findAcceptor(schema) },
  ]),
);

/** Acceptor of the call object: calls of common fields. */
export function acceptCall(raw: unknown): CallObject | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const members = raw as Readonly<Record<string, unknown>>;
  const call: Record<string, string> = {};
  let lastPlace = -1;
  let isOrdered = true;
  for (const name in members) {
    const field = BY_NAME.get(name);
    if (field === undefined) return undefined;
    const value = members[name];
    if (value === null) continue;
    const accepted = field.accept?.(value);
    if (accepted === undefined) return undefined;
    call[name] = accepted;
    isOrdered &&= field.place > lastPlace;
    lastPlace = field.place;
  }
  return isOrdered ? call : orderFields(call);
}

function orderFields(call: Readonly<Record<string, string>>): CallObject {
  const ordered: Record<string, string> = {};
  for (const name of BY_NAME.keys()) {
    const value = call[name];
    if (value !== undefined) ordered[name] = value;
  }
  return ordered;
}
