/** Parameter values: meaningful ones, edge cases and malformed ones. */
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { VALID_INPUTS } from '../../packages/evm/interpreter/precompiles/inputs.ts';
import type { ChainFacts } from './chain-facts.ts';
import type { Random } from './random.ts';

const TAGS = ['latest', 'earliest', 'pending', 'safe', 'finalized'];
const MALFORMED_TEXTS = ['', '0x', '0X1', '1', '0x01', '0xg', 'abc', '0x ', 'Latest', '0x1 ', '-0x1', '0x-1'];
const WRONG_KINDS = [null, true, 5, 1.5, [], {}, ['0x1'], { a: 1 }, -1, 1e30];
const MAX_PRECOMPILE = 0x12;

/** A value that is invalid for any parameter. */
export function malformed(random: Random): unknown {
  return random.oneIn(2) ? random.pick(MALFORMED_TEXTS) : random.pick(WRONG_KINDS);
}

/** An unsigned integer of at most `bits` bits, mostly small or at an edge. */
export function integer(random: Random, bits: 64 | 256): bigint {
  const highest = 2n ** BigInt(bits) - 1n;
  return random.call(
    () => 0n,
    () => 1n,
    () => BigInt(random.below(256)),
    () => BigInt(random.below(2 ** 31)),
    () => 10n ** BigInt(random.below(bits === 64 ? 19 : 30)),
    () => 2n ** BigInt(random.below(bits)),
    () => highest - BigInt(random.below(2)),
    () => BigInt(`0x0${random.hex(1 + random.below(bits / 4))}`),
  );
}

export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

export function anyQuantity(random: Random, bits: 64 | 256): string {
  return quantity(integer(random, bits));
}

/** Converts a number to a 20-byte address. */
export function addressAt(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

export function precompileAddress(random: Random): string {
  return addressAt(random.oneIn(8) ? 0x100 : 1 + random.below(MAX_PRECOMPILE));
}

/** Input of a precompile: arbitrary, or a valid one, whole or with one byte changed or missing. */
export function precompileInput(random: Random, address: string): string {
  const valid = VALID_INPUTS.get(Number(address));
  if (valid === undefined || random.oneIn(3)) return data(random);
  const input = valid.slice(0, random.oneIn(6) ? random.below(valid.length + 1) : valid.length);
  if (input.length > 0 && !random.oneIn(3)) input[random.below(input.length)] = random.below(256);
  return bytesToHex(input);
}

export function address(random: Random, facts: ChainFacts): string {
  return random.call(
    () => random.pick(facts.funded),
    () => random.pick(facts.contracts),
    () => random.pick(facts.contracts),
    () => random.pick(facts.others),
    () => precompileAddress(random),
    () => `0x${random.hex(40)}`,
    () => addressAt(0),
  );
}

export function data(random: Random): string {
  return random.call(
    () => '0x',
    () => '0x00',
    () => `0x${random.hex(8)}`,
    () => `0x${random.hex(2 * random.below(200))}`,
    () => `0x${'00'.repeat(random.below(300))}`,
    () => `0x${random.hex(8)}${random.hex(64 * random.below(4))}`,
  );
}

export function hash(random: Random): string {
  return random.oneIn(3)
    ? `0x${quantity(random.below(5)).slice(2).padStart(64, '0')}`
    : `0x${random.hex(64)}`;
}

export function blockNumber(random: Random, facts: ChainFacts): string {
  const beyond = [
    facts.head + 1,
    facts.head + 1000,
    2n ** 53n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n - 1n,
    2n ** 64n,
  ];
  return random.oneIn(12) ? quantity(random.pick(beyond)) : quantity(random.below(facts.head + 1));
}

export function blockTag(random: Random): string {
  return random.pick(TAGS);
}

export function blockHash(random: Random, facts: ChainFacts): string {
  const known = random.pick(facts.blockHashes);
  if (random.oneIn(10)) return `0x${random.hex(64)}`;
  return random.oneIn(10) ? known.toUpperCase().replace('0X', '0x') : known;
}

/** A block as a number or a tag. */
export function blockNumberOrTag(random: Random, facts: ChainFacts): unknown {
  if (random.oneIn(40)) return malformed(random);
  return random.oneIn(3) ? blockTag(random) : blockNumber(random, facts);
}

/** A block in any form (EIP-1898 included). */
export function blockReference(random: Random, facts: ChainFacts): unknown {
  if (random.oneIn(3)) return blockTag(random);
  return random.call<unknown>(
    () => blockNumberOrTag(random, facts),
    () => blockNumberOrTag(random, facts),
    () => blockHash(random, facts),
    () => blockObject(random, facts),
  );
}

function blockObject(random: Random, facts: ChainFacts): unknown {
  return random.call<unknown>(
    () => ({ blockNumber: blockNumberOrTag(random, facts) }),
    () => ({ blockHash: blockHash(random, facts) }),
    () => ({ blockHash: blockHash(random, facts), requireCanonical: random.oneIn(2) }),
    () => ({ blockHash: blockHash(random, facts), blockNumber: blockNumber(random, facts) }),
    () => ({ requireCanonical: true }),
    () => ({ blockHash: malformed(random) }),
  );
}
