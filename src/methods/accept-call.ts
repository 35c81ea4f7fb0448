import type * as z from 'zod';
import type { CallObject } from '../chain/chain.ts';
import { type Acceptor, findAcceptor } from '../rpc/acceptors.ts';
import { hasManyMembers } from '../rpc/parse-in-slices.ts';
import { address, data, quantity64, quantity256 } from '../rpc/schemas.ts';
import { acceptAccessList } from './accept-overrides.ts';

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

type Members = Readonly<Record<string, unknown>>;
type CommonField = { readonly place: number; readonly accept: Acceptor | undefined };

const BY_NAME: ReadonlyMap<string, CommonField> = new Map<string, CommonField>([
  ...Object.entries(COMMON_FIELDS).map(([name, schema], place): [string, CommonField] => [
    name,
    { place, accept: findAcceptor(schema) },
  ]),
  ['accessList', { place: Object.keys(COMMON_FIELDS).length, accept: acceptAccessList }],
]);

/** Acceptor of the call object: calls of common fields. One that is as the schema would leave it is taken as it is. */
export function acceptCall(raw: unknown): CallObject | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw) || hasManyMembers(raw)) return undefined;
  const members = raw as Members;
  let lastPlace = -1;
  let isTidy = true;
  for (const name in members) {
    const field = BY_NAME.get(name);
    if (field === undefined) return undefined;
    const value = members[name];
    const accepted = value === null ? null : field.accept?.(value);
    if (accepted === undefined) return undefined;
    isTidy &&= accepted !== null && accepted === value && field.place > lastPlace;
    lastPlace = field.place;
  }
  return isTidy ? (members as CallObject) : tidy(members);
}

/** The fields that are given, in order and in lower case. */
function tidy(members: Members): CallObject {
  const call: Record<string, unknown> = {};
  for (const [name, { accept }] of BY_NAME) {
    const value = members[name] ?? undefined;
    const accepted = value === undefined ? undefined : accept?.(value);
    if (accepted !== undefined) call[name] = accepted;
  }
  return call;
}
