/** Checks the memory of proven state: calls of CONTRACTS (10,000) distinct contracts with a bound of BOUND_MIB (16). */
import assert from 'node:assert/strict';
import { fillMemory, REST_BYTES } from './fill-memory.ts';

const MIB = 1 << 20;
const contracts = Number(process.env['CONTRACTS'] ?? 10_000);
const bound = Number(process.env['BOUND_MIB'] ?? 16) * MIB;

const { counted, growth, roundTrips } = await fillMemory(contracts, bound);
const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
console.log(
  `${contracts} contracts, ${roundTrips} trips: bound ${inMib(bound)}, counted ${inMib(counted)}, in use ${inMib(growth)} more than before`,
);
assert.ok(growth <= bound + REST_BYTES, 'more is in use than the bound allows');
