import * as z from 'zod';
import type { CallObject } from '../chain/chain.ts';
import { addAcceptor, findAcceptor } from '../rpc/acceptors.ts';
import { address, data, hash32, quantity64, quantity256 } from '../rpc/schemas.ts';
import { acceptCall } from './accept-call.ts';
import { objectOf } from './known-members.ts';

const accessListEntry = z
  .object({ address, storageKeys: z.array(hash32) })
  .meta({ title: 'access list entry' });

const authorization = z
  .object({
    chainId: quantity256,
    address,
    nonce: quantity64,
    yParity: quantity64,
    r: quantity256,
    s: quantity256,
  })
  .meta({ title: 'authorization' });

const fields = objectOf(
  {
    from: address.meta({ description: 'Sender. Default: the zero address.' }).exactOptional(),
    to: address
      .meta({ description: 'Recipient. Absent: `data` is init code of a contract creation.' })
      .exactOptional(),
    gas: quantity64
      .meta({ description: "Gas provided, at most 10 times the latest block's gas limit." })
      .exactOptional(),
    gasPrice: quantity256
      .meta({ description: 'Wei per gas. Not together with the EIP-1559 fields.' })
      .exactOptional(),
    maxFeePerGas: quantity256.meta({ description: 'Maximum total fee, Wei per gas.' }).exactOptional(),
    maxPriorityFeePerGas: quantity256
      .meta({ description: 'Maximum fee above the base fee, Wei per gas.' })
      .exactOptional(),
    maxFeePerBlobGas: quantity256.meta({ description: 'Maximum fee per blob gas, Wei.' }).exactOptional(),
    value: quantity256.meta({ description: 'Wei sent along.' }).exactOptional(),
    nonce: quantity64.meta({ description: 'Nonce of the sender; not checked.' }).exactOptional(),
    data: data.meta({ description: 'Call data, or init code.' }).exactOptional(),
    input: data.meta({ description: 'The same; wins over `data` where both are given.' }).exactOptional(),
    type: quantity64
      .meta({ description: 'Transaction type. Anything but a quantity is ignored.' })
      .exactOptional(),
    chainId: quantity256.meta({ description: "Must be the network's own where given." }).exactOptional(),
    accessList: z.array(accessListEntry).meta({ description: 'EIP-2930 access list.' }).exactOptional(),
    blobVersionedHashes: z.array(hash32).meta({ description: 'EIP-4844 blob hashes.' }).exactOptional(),
    authorizationList: z
      .array(authorization)
      .meta({ description: 'EIP-7702 authorizations.' })
      .exactOptional(),
  },
  (schema) => schema.meta({ title: 'call object' }),
);

const acceptType = findAcceptor(quantity64);

/** Nodes go by the fields that are given, and do not read `type`: as an annotation it may be anything. */
function dropUnreadableType(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value;
  if (acceptType?.(value.type) !== undefined) return value;
  const { type: _, ...rest } = value;
  return rest;
}

const callSchema = z.preprocess(dropUnreadableType, fields) as z.ZodType<CallObject>;

/** The call object (spec 2.5 and the further fields that geth reads); other fields are ignored as geth does. */
export const callObject: z.ZodType<CallObject> = addAcceptor(callSchema, acceptCall);
