import {
  CORE_LIMITS,
  EXCHANGE_FIELDS,
  OPCODE_FACT,
  OPCODE_FLAG,
  RULE_NUMBERS,
  type RuleNumber,
  startOf,
} from './core-interface.ts';
import type { CoreMemory } from './core-memory.ts';
import type { CoreExports } from './core-module.ts';
import type { Opcode } from './opcodes.ts';
import type { RevisionRules } from './revisions/revision-rules.ts';

const OPCODES = startOf('opcodes');
const OPCODE_COUNT = 256;
const NO_LIMIT = 2n ** 63n - 1n;

/** Sets the rules that the core applies to the following messages. */
export function useRules(core: CoreExports, memory: CoreMemory, rules: RevisionRules): void {
  const numbers = numbersOf(rules);
  for (const [i, name] of RULE_NUMBERS.entries()) {
    memory.view.setBigInt64(EXCHANGE_FIELDS.ruleNumbers + 8 * i, numbers[name], true);
  }
  writeOpcodes(memory.view, rules);
  core.useRules(rules.number, rules.switches, precompileBits(rules));
}

function numbersOf({
  codeLimit,
  initCodeLimit,
  intrinsic,
  stateGas,
  ...rules
}: RevisionRules): Record<RuleNumber, bigint> {
  return {
    expByteGas: rules.expByteGas,
    storageAgainGas: rules.storageAgainGas,
    storageResetGas: rules.storageResetGas,
    storageClearRefund: rules.storageClearRefund,
    codeLimit: codeLimit === undefined ? NO_LIMIT : BigInt(codeLimit),
    initCodeLimit: initCodeLimit === undefined ? NO_LIMIT : BigInt(initCodeLimit),
    initCodeWordGas: BigInt(intrinsic.initCodeWord),
    coldAccountGas: rules.coldAccountGas,
    warmAccountGas: rules.warmAccountGas,
    accountWriteGas: rules.accountWriteGas,
    callValueGas: rules.callValueGas,
    newAccountGas: rules.newAccountGas,
    codeByteGas: rules.codeByteGas,
    codeWordGas: rules.codeWordGas,
    stateByteGas: stateGas?.perByte ?? 0n,
    stateAccountGas: stateGas?.account ?? 0n,
    stateSlotGas: stateGas?.slot ?? 0n,
  };
}

/** Returns a bit set: bit n means that the precompile with number n exists. */
function precompileBits({ precompiles }: RevisionRules): number {
  let bits = 0;
  for (const address of precompiles.keys()) {
    bits |= 1 << (address === CORE_LIMITS.p256Address ? CORE_LIMITS.p256Number : address);
  }
  return bits;
}

function writeOpcodes(view: DataView, { opcodes }: RevisionRules): void {
  const { size, gas: gasAt, inputs, outputs, flags } = OPCODE_FACT;
  for (let code = 0; code < OPCODE_COUNT; code++) {
    const at = OPCODES + code * size;
    view.setBigUint64(at, 0n, true);
    view.setUint8(at + flags, OPCODE_FLAG.endsBlock | OPCODE_FLAG.endsPath);
  }
  for (const { opcode, gas } of opcodes) {
    const at = OPCODES + opcode.code * size;
    view.setUint32(at + gasAt, gas, true);
    view.setUint8(at + inputs, opcode.inputs);
    view.setUint8(at + outputs, opcode.outputs);
    view.setUint8(at + flags, flagsOf(opcode));
  }
}

function flagsOf({ name, ends }: Opcode): number {
  const { isDefined, endsBlock, endsPath } = OPCODE_FLAG;
  const isValid = name === 'INVALID' ? 0 : isDefined;
  return isValid | (ends === undefined ? 0 : endsBlock) | (ends === 'path' ? endsPath : 0);
}
