import type { FamilyMark } from '../evidence.ts';
import { contractMark } from '../marks.ts';
import type { KnownOracle } from '../unknown-functions.ts';
import { GAS_PRICE_ORACLE } from './oracle.ts';
import { L1_BLOCK, NUMBER } from './read-info.ts';

/** Features by which an OP Stack chain is recognised (marks): its predeploys. All versions of the oracle return 6 for decimals(). */
export const OP_STACK_MARKS: readonly FamilyMark[] = [
  contractMark({
    address: GAS_PRICE_ORACLE,
    selector: '0x313ce567',
    call: 'decimals()',
    word: 6n,
    isNeeded: true,
  }),
  contractMark({ address: L1_BLOCK, selector: NUMBER, call: 'number()', isNeeded: true }),
];

/** Functions of the oracle in the forks from Bedrock to Jovian (op-node, upgrade transactions of each fork). */
export const OP_STACK_ORACLE: KnownOracle = {
  address: GAS_PRICE_ORACLE,
  selectors: new Set([
    '0x2e0f2625', // DECIMALS()
    '0x6ef25c3a', // baseFee()
    '0xc5985918', // baseFeeScalar()
    '0xf8206140', // blobBaseFee()
    '0x68d5dca6', // blobBaseFeeScalar()
    '0x313ce567', // decimals()
    '0xfe173b97', // gasPrice()
    '0x49948e0e', // getL1Fee(bytes)
    '0xf1c7a58b', // getL1FeeUpperBound(uint256)
    '0xde26c4a1', // getL1GasUsed(bytes)
    '0x275aedd2', // getOperatorFee(uint256)
    '0x4ef6e224', // isEcotone()
    '0x960e3a23', // isFjord()
    '0xb54501bc', // isIsthmus()
    '0x105d0b81', // isJovian()
    '0x519b4bd3', // l1BaseFee()
    '0x0c18c162', // overhead()
    '0xf45e65d8', // scalar()
    '0x22b90ab3', // setEcotone()
    '0x8e98b106', // setFjord()
    '0x291b0383', // setIsthmus()
    '0xb3d72079', // setJovian()
    '0x54fd4d50', // version()
  ]),
};
