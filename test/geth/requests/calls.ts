/** Call objects and overrides. */

import { concatBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import { signHash } from '../../../scripts/chains/secp256k1.ts';
import type { ChainFacts } from './chain-facts.ts';
import { initCode, LOOP, program } from './programs.ts';
import type { Random } from './random.ts';
import {
  address,
  addressAt,
  anyQuantity,
  data,
  hash,
  integer,
  malformed,
  precompileAddress,
  precompileInput,
  quantity,
} from './values.ts';

type Fields = Record<string, unknown>;

/** Address at which a state override places a call's own code. */
const SUBJECT = '0x00000000000000000000000000000000005ab1ec';
const GWEI = 1_000_000_000n;
/**
 * Gas near relevant costs: of a transfer, of a creation, of a block, of Osaka's limit per transaction; in Amsterdam of transfers to
 * oneself, without value and to a new account, and above the execution gas.
 */
const GAS_EDGES = [
  0n,
  1n,
  11_999n,
  12_000n,
  15_000n,
  204_599n,
  204_600n,
  207_391n,
  500_000n,
  20_000_000n,
  20_999n,
  21_000n,
  21_001n,
  53_000n,
  100_000n,
  16_777_216n,
  16_777_217n,
  2n ** 32n,
  2n ** 64n - 1n,
];

/** Gas near Amsterdam's costs: transfers by recipient, with and without a new account, and a reservoir. */
const AMSTERDAM_GAS_EDGES = [
  11_999n,
  12_000n,
  14_999n,
  15_000n,
  24_000n,
  204_599n,
  204_600n,
  400_000n,
  20_000_000n,
];

export type CallParameters = { readonly call: unknown; readonly state?: unknown; readonly block?: object };

/** A random call with its overrides. */
export function callParameters(random: Random, facts: ChainFacts): CallParameters {
  const kind = random.below(10);
  const call: Fields = {};
  let state: Fields | undefined;
  if (!random.oneIn(4)) call['from'] = random.oneIn(6) ? address(random, facts) : random.pick(facts.funded);
  if (kind < 4) {
    call['to'] = SUBJECT;
    state = {
      [SUBJECT]: {
        code: `0x${program(random, facts)}`,
        ...(random.oneIn(3) && { balance: '0x10' }),
        ...(random.oneIn(3) && accountOverride(random, facts)),
      },
    };
    if (random.oneIn(2)) call['data'] = data(random);
  } else if (kind < 6) call[random.oneIn(2) ? 'data' : 'input'] = `0x${initCode(random, facts)}`;
  else if (kind === 6) {
    const to = precompileAddress(random);
    Object.assign(call, { to, data: precompileInput(random, to) });
  } else {
    call['to'] = address(random, facts);
    if (random.oneIn(2)) call['data'] = data(random);
  }
  addFields(random, facts, call);
  // A loop uses all of its gas: the maximum gas of a call would take seconds.
  if (JSON.stringify([call, state]).includes(LOOP)) call['gas'] = quantity(30_000 + random.below(1_000_000));
  if (random.oneIn(6)) state = { ...state, ...stateOverrides(random, facts) };
  return {
    call: random.oneIn(25) ? mutate(random, call) : call,
    ...(state !== undefined && { state }),
    ...(random.oneIn(5) && { block: blockOverrides(random, facts) }),
  };
}

function addFields(random: Random, facts: ChainFacts, call: Fields): void {
  if (random.oneIn(3)) call['gas'] = gas(random, facts);
  if (random.oneIn(3))
    call['value'] = quantity(random.oneIn(2) ? BigInt(random.below(1000)) : integer(random, 256));
  if (random.oneIn(3)) addFees(random, call);
  if (random.oneIn(12)) call['nonce'] = anyQuantity(random, 64);
  if (random.oneIn(16))
    call['chainId'] = random.oneIn(3) ? anyQuantity(random, 256) : quantity(facts.chainId);
  if (random.oneIn(16)) call['type'] = random.oneIn(2) ? quantity(random.below(6)) : malformed(random);
  if (random.oneIn(8)) call['accessList'] = accessList(random, facts);
  if (random.oneIn(12)) addBlobs(random, call);
  if (random.oneIn(12))
    call['authorizationList'] = random.list(random.below(3), () => authorization(random, facts));
  if (random.oneIn(30)) call['input'] = data(random);
  if (random.oneIn(40)) call['unknownField'] = malformed(random);
}

/** Any amount, an edge case, or an amount that runs out within a program. */
function gas(random: Random, { isAmsterdam }: ChainFacts): string {
  return random.call(
    () => quantity(random.pick(isAmsterdam ? AMSTERDAM_GAS_EDGES : GAS_EDGES)),
    () => quantity(integer(random, 64)),
    () => quantity((isAmsterdam ? 15_000 : 21_000) + random.below(random.pick([300, 5_000, 50_000]))),
  );
}

function fee(random: Random): string {
  return quantity(random.oneIn(3) ? integer(random, 256) : BigInt(random.below(100)) * GWEI);
}

/** Fee fields in all combinations. */
function addFees(random: Random, call: Fields): void {
  if (random.oneIn(3)) call['gasPrice'] = fee(random);
  if (random.oneIn(2)) call['maxFeePerGas'] = fee(random);
  if (random.oneIn(2)) call['maxPriorityFeePerGas'] = fee(random);
}

function addBlobs(random: Random, call: Fields): void {
  const version = random.oneIn(5) ? '02' : '01';
  call['blobVersionedHashes'] = random.list(
    random.pick([0, 1, 2, 6, 7, 9, 10]),
    () => `0x${version}${random.hex(62)}`,
  );
  if (random.oneIn(2)) call['maxFeePerBlobGas'] = random.oneIn(3) ? '0x0' : fee(random);
}

function accessList(random: Random, facts: ChainFacts): unknown {
  return random.list(random.below(3), () => ({
    address: address(random, facts),
    storageKeys: random.list(random.below(3), () => hash(random)),
  }));
}

function authorization(random: Random, facts: ChainFacts): unknown {
  if (facts.keys.length > 0 && random.oneIn(2)) return signedAuthorization(random, facts);
  return {
    chainId: random.pick([quantity(0), quantity(facts.chainId), '0x1']),
    address: address(random, facts),
    nonce: random.oneIn(3) ? anyQuantity(random, 64) : '0x0',
    yParity: quantity(random.below(2)),
    r: quantity(BigInt(`0x1${random.hex(62)}`)),
    s: quantity(BigInt(`0x1${random.hex(62)}`)),
  };
}

/** A valid authorization, unless its nonce or chain id differs. */
function signedAuthorization(random: Random, facts: ChainFacts): unknown {
  const { key, nonce: known } = random.pick(facts.keys);
  const chainId = random.pick([0n, facts.chainId, facts.chainId, 1n]);
  const nonce = random.oneIn(4) ? integer(random, 64) : known;
  const delegate = address(random, facts);
  const payload = concatBytes(Uint8Array.of(5), encodeRlp([chainId, hexToBytes(delegate), nonce]));
  const { yParity, r, s } = signHash(keccak256(payload), hexToBytes(key));
  return {
    chainId: quantity(chainId),
    address: delegate,
    nonce: quantity(nonce),
    yParity: quantity(yParity),
    r: quantity(r),
    s: quantity(s),
  };
}

function accountOverride(random: Random, facts: ChainFacts): Fields {
  const override: Fields = {};
  if (random.oneIn(3)) override['nonce'] = anyQuantity(random, 64);
  if (random.oneIn(2)) override['balance'] = anyQuantity(random, 256);
  if (random.oneIn(3)) override['code'] = random.oneIn(4) ? data(random) : `0x${program(random, facts)}`;
  if (random.oneIn(3)) override['state'] = slots(random);
  if (random.oneIn(3)) override['stateDiff'] = slots(random);
  return override;
}

function slots(random: Random): Fields {
  return Object.fromEntries(random.list(random.below(3), () => [hash(random), hash(random)]));
}

export function stateOverrides(random: Random, facts: ChainFacts): Fields {
  const overrides: Fields = {};
  for (let count = 1 + random.below(2); count > 0; count--) {
    const isMoved = random.oneIn(4);
    const key = isMoved && !random.oneIn(4) ? precompileAddress(random) : address(random, facts);
    const override = accountOverride(random, facts);
    if (isMoved)
      override['movePrecompileToAddress'] = random.oneIn(2) ? SUBJECT : addressAt(0x5000 + random.below(3));
    overrides[key] = override;
  }
  return overrides;
}

export function blockOverrides(random: Random, facts: ChainFacts): Fields {
  const overrides: Fields = {};
  if (random.oneIn(3))
    overrides['number'] = random.oneIn(3) ? anyQuantity(random, 256) : quantity(random.below(60));
  if (random.oneIn(3))
    overrides['time'] = random.oneIn(3) ? anyQuantity(random, 64) : quantity(random.below(700));
  if (random.oneIn(4)) overrides['difficulty'] = anyQuantity(random, 256);
  if (random.oneIn(4)) overrides['gasLimit'] = anyQuantity(random, 64);
  if (random.oneIn(4)) overrides['feeRecipient'] = address(random, facts);
  if (random.oneIn(4)) overrides['prevRandao'] = hash(random);
  if (random.oneIn(4)) overrides['baseFeePerGas'] = fee(random);
  if (random.oneIn(4)) overrides['blobBaseFee'] = fee(random);
  if (random.oneIn(30)) overrides['beaconRoot'] = hash(random);
  if (random.oneIn(30)) overrides['withdrawals'] = [];
  return overrides;
}

/** Adds, removes or changes one field. */
function mutate(random: Random, fields: Fields): unknown {
  if (random.oneIn(10)) return malformed(random);
  const changed: Fields = { ...fields };
  const names = [
    'from',
    'to',
    'gas',
    'value',
    'data',
    'input',
    'nonce',
    'gasPrice',
    'accessList',
    'chainId',
    'maxFeePerGas',
  ];
  changed[random.pick(names)] = malformed(random);
  return changed;
}
