import { asList, decodeRlp, type RlpItem } from '../ethereum/primitives/rlp.ts';
import {
  ADDRESS_BYTES,
  decodeBytes,
  decodeFlag,
  decodeHashes,
  decodeInteger,
  decodeRecipient,
} from './decode-fields.ts';
import type { Members } from './findings.ts';
import { type FieldKind, TRANSACTION_FORMS } from './transaction-forms.ts';

const FIRST_LIST = 0xc0;

type ReadField = (item: RlpItem | undefined, member: string) => unknown;

const READERS: Readonly<Record<FieldKind, ReadField>> = {
  bytes: (item, member) => decodeBytes(item, member),
  integer: decodeInteger,
  recipient: decodeRecipient,
  optionalInteger: decodeInteger,
  flag: decodeFlag,
  hashes: decodeHashes,
  accessList: (item, member) => asList(item, member).map((entry) => readAccess(asList(entry, member))),
  authorizationList: (item, member) =>
    asList(item, member).map((entry) => readAuthorization(asList(entry, member))),
};

/**
 * Decodes the hashed members of a transaction, and its type.
 * @param encoded envelope as in the block: type byte and RLP list, or a legacy list
 * @throws RangeError if no known form fits
 */
export function decodeHashedTransaction(encoded: Uint8Array): Members {
  const [first = 0] = encoded;
  const type = first >= FIRST_LIST ? undefined : first;
  const items = asList(decodeRlp(type === undefined ? encoded : encoded.subarray(1)), 'transaction');
  // Forms of one type differ in their number of fields.
  const form = TRANSACTION_FORMS.find((one) => one.type === type && one.fields.length === items.length);
  if (form === undefined)
    throw new RangeError(`a transaction of type ${type ?? 0} has ${items.length} fields`);
  const members: Record<string, unknown> = { type: `0x${(type ?? 0).toString(16)}` };
  for (const [index, { members: names, as }] of form.fields.entries()) {
    const name = names[0] as string;
    members[name] = READERS[as](items[index], name);
  }
  return members;
}

function readAccess([address, storageKeys]: readonly RlpItem[]): Members {
  return {
    address: decodeBytes(address, 'address', ADDRESS_BYTES),
    storageKeys: decodeHashes(storageKeys, 'storageKeys'),
  };
}

function readAuthorization([chainId, address, nonce, yParity, r, s]: readonly RlpItem[]): Members {
  return {
    chainId: decodeInteger(chainId, 'chainId'),
    address: decodeBytes(address, 'address', ADDRESS_BYTES),
    nonce: decodeInteger(nonce, 'nonce'),
    yParity: decodeInteger(yParity, 'yParity'),
    r: decodeInteger(r, 'r'),
    s: decodeInteger(s, 's'),
  };
}
