import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../../../../packages/ethereum/primitives/hex.ts';
import { createPrecompiles } from '../../../../../packages/evm/interpreter/precompiles/precompiles.ts';
import {
  REVISIONS,
  type Revision,
  rulesOf,
} from '../../../../../packages/evm/interpreter/revisions/revisions.ts';
import { createNodeCryptography } from '../../../../../src/engine/node-cryptography.ts';
import { countRuns } from '../../../../support/count-runs.ts';
import { encodeNumber, VALID_INPUTS } from './inputs.ts';
import { Oracle } from './oracle.ts';

const PRECOMPILES = createPrecompiles(createNodeCryptography());
/** Above the cost of any input under test, and low enough that inputs no block can pay for are not computed. */
const GAS_LIMIT = 20_000_000n;

/** Precompiles that revisions changed are tested at each of their prices, the others at the latest revision. */
const REVISIONS_OF: Readonly<Record<number, readonly Revision[]>> = {
  5: ['byzantium', 'istanbul', 'berlin', 'prague', 'osaka'],
  6: ['byzantium', 'istanbul'],
  7: ['byzantium', 'istanbul'],
  8: ['byzantium', 'istanbul'],
};

async function compare(
  oracle: Oracle,
  revision: Revision,
  address: number,
  input: Uint8Array,
): Promise<void> {
  const precompile = PRECOMPILES.of(rulesOf(revision)).get(address);
  assert.ok(precompile !== undefined);
  const provided = input.slice();
  const gas = precompile.gas(input);
  const isAffordable = BigInt(gas) <= GAS_LIMIT;
  const output = isAffordable ? precompile.run(input) : undefined;
  assert.deepEqual(input, provided, 'the input is left as it was');
  const expected = await oracle.run(address, input, GAS_LIMIT);
  const where = `${precompile.name} at ${revision} of ${bytesToHex(input)}`;
  const text = (bytes: Uint8Array | undefined): string =>
    bytes === undefined ? 'failure' : bytesToHex(bytes);
  assert.equal(text(output), text(expected.output), where);
  if (output !== undefined) assert.equal(BigInt(gas), expected.gas, where);
}

/** Valid inputs with a few bytes changed, cut off or added. */
function mutations(valid: Uint8Array): fc.Arbitrary<Uint8Array> {
  const change = fc.record({
    at: fc.nat(valid.length - 1),
    bytes: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
      fc.constantFrom(
        new Uint8Array(16),
        new Uint8Array(32),
        new Uint8Array(32).fill(255),
        new Uint8Array(64),
      ),
    ),
  });
  const length = fc.oneof(
    { weight: 4, arbitrary: fc.constant(valid.length) },
    { weight: 1, arbitrary: fc.nat(valid.length + 40) },
  );
  return fc.tuple(fc.array(change, { maxLength: 2 }), length).map(([changes, size]) => {
    const input = valid.slice();
    for (const { at, bytes } of changes) input.set(bytes.subarray(0, input.length - at), at);
    const resized = new Uint8Array(size);
    resized.set(input.subarray(0, size));
    return resized;
  });
}

test('every revision has the same precompile addresses as the oracle', async () => {
  for (const revision of REVISIONS) {
    const { addresses } = await Oracle.create(revision);
    const sorted = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);
    assert.deepEqual(sorted(PRECOMPILES.of(rulesOf(revision)).keys()), sorted(addresses), revision);
  }
});

test('every revision agrees with the oracle on prices and results of valid inputs', async () => {
  for (const revision of REVISIONS) {
    const oracle = await Oracle.create(revision);
    for (const address of PRECOMPILES.of(rulesOf(revision)).keys()) {
      await compare(oracle, revision, address, VALID_INPUTS.get(address) as Uint8Array);
      await compare(oracle, revision, address, new Uint8Array(0));
    }
  }
});

for (const [address, valid] of VALID_INPUTS) {
  test(`precompile ${address} agrees with the oracle on mutated inputs`, async () => {
    for (const revision of REVISIONS_OF[address] ?? (['osaka'] as const)) {
      const oracle = await Oracle.create(revision);
      const answersAlike = fc.asyncProperty(mutations(valid), (input) =>
        compare(oracle, revision, address, input),
      );
      await fc.assert(answersAlike, { numRuns: address >= 8 && address !== 9 ? 25 : 80 });
    }
  });
}

test('modexp agrees with the oracle on any small lengths, with complete or truncated content', async () => {
  const size = fc.oneof(fc.nat(40), fc.nat(80), fc.constantFrom(0, 1, 31, 32, 33, 64, 65));
  const lengths = fc.tuple(size, size, size);
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 260 }),
    fc.nat(260).map((length) => new Uint8Array(length)),
    fc.nat(260).map((length) => new Uint8Array(length).fill(255)),
    fc.nat(260).map((length) => new Uint8Array(length).fill(1)),
  );
  for (const revision of ['byzantium', 'berlin', 'osaka'] as const) {
    const oracle = await Oracle.create(revision);
    const property = fc.asyncProperty(lengths, content, (sizes, bytes) => {
      const input = new Uint8Array(96 + bytes.length);
      for (const [i, length] of sizes.entries()) input.set(encodeNumber(length), 32 * i);
      input.set(bytes, 96);
      return compare(oracle, revision, 5, input);
    });
    await fc.assert(property, { numRuns: countRuns(150) });
  }
});

test('modexp agrees with the oracle on lengths up to 2^256 - 1', async () => {
  const length = fc.oneof(fc.constantFrom(0n, 1n, 32n, 1024n, 1025n, 4096n), fc.bigInt(0n, 2n ** 256n - 1n));
  for (const revision of ['byzantium', 'berlin', 'osaka'] as const) {
    const oracle = await Oracle.create(revision);
    const property = fc.asyncProperty(fc.tuple(length, length, length), fc.uint8Array(), (sizes, bytes) => {
      const input = new Uint8Array(96 + bytes.length);
      for (const [i, size] of sizes.entries()) input.set(encodeNumber(size), 32 * i);
      input.set(bytes, 96);
      return compare(oracle, revision, 5, input);
    });
    await fc.assert(property, { numRuns: countRuns(100) });
  }
});
