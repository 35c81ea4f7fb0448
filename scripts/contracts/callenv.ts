import { assemble, deployCode } from '../assembler.ts';
import { dispatch, RETURN_WORD } from './macros.ts';

export const CALLENV_ABI = [
  'function coinbase() view returns (address)',
  'function timestamp() view returns (uint256)',
  'function blockNumber() view returns (uint256)',
  'function prevRandao() view returns (uint256)',
  'function gasLimit() view returns (uint256)',
  'function origin() view returns (address)',
  'function caller() view returns (address)',
  'function gasPrice() view returns (uint256)',
  'function callValue() payable returns (uint256)',
  'function chainId() view returns (uint256)',
  'function baseFee() view returns (uint256)',
  'function blobBaseFee() view returns (uint256)',
  'function environment() payable returns (uint256[12])',
] as const;

/** Words in the order of `environment()`; the last three exist since Istanbul, London and Cancun. */
const WORDS: readonly (readonly [signature: string, opcode: string])[] = [
  ['coinbase()', 'COINBASE'],
  ['timestamp()', 'TIMESTAMP'],
  ['blockNumber()', 'NUMBER'],
  ['prevRandao()', 'PREVRANDAO'],
  ['gasLimit()', 'GASLIMIT'],
  ['origin()', 'ORIGIN'],
  ['caller()', 'CALLER'],
  ['gasPrice()', 'GASPRICE'],
  ['callValue()', 'CALLVALUE'],
  ['chainId()', 'CHAINID'],
  ['baseFee()', 'BASEFEE'],
  ['blobBaseFee()', 'BLOBBASEFEE'],
];

/** Runtime code that returns values of a call's block and transaction, one word a function. Frontier; newer words as forks add them. */
const CALLENV_RUNTIME: Uint8Array = assemble(
  dispatch(
    [
      ...WORDS.map(([signature, opcode]) => ({
        signature,
        payable: opcode === 'CALLVALUE',
        body: `${opcode} ${RETURN_WORD}`,
      })),
      {
        signature: 'environment()',
        payable: true,
        body: `
          ${WORDS.map(([, opcode], i) => `${opcode} ${32 * i} MSTORE`).join('\n')}
          ${32 * WORDS.length} 0 RETURN`,
      },
    ],
    'invalid',
  ),
);
export const CALLENV_INIT_CODE: Uint8Array = deployCode(CALLENV_RUNTIME);
