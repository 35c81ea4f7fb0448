import { assemble, deployCode } from '../assembler.ts';
import { encodeErrorString, encodeShortString, eventTopic } from './abi.ts';
import { addressArgument, argument, dispatch, MAPPING_SLOT, RETURN_WORD, revertWith } from './macros.ts';

export const ERC20_ABI = [
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'event Approval(address indexed owner, address indexed spender, uint256 amount)',
] as const;

/** Storage slots, in OpenZeppelin's order. */
const BALANCES = 0;
const ALLOWANCES = 1;
const TOTAL_SUPPLY = 2;
const NAME = 3;
const SYMBOL = 4;

const DECIMALS = 18;
const TRANSFER: string = eventTopic('Transfer(address,address,uint256)');
const APPROVAL: string = eventTopic('Approval(address,address,uint256)');

/** [owner spender] -> [slot of the allowance], with the spender below the owner */
const ALLOWANCE_SLOT = `${ALLOWANCES} ${MAPPING_SLOT} ${MAPPING_SLOT}`;

const FUNCTIONS = [
  { signature: 'name()', body: `${NAME} @returnString JUMP` },
  { signature: 'symbol()', body: `${SYMBOL} @returnString JUMP` },
  { signature: 'decimals()', body: `${DECIMALS} ${RETURN_WORD}` },
  { signature: 'totalSupply()', body: `${TOTAL_SUPPLY} SLOAD ${RETURN_WORD}` },
  {
    signature: 'balanceOf(address)',
    body: `${addressArgument(0)} ${BALANCES} ${MAPPING_SLOT} SLOAD ${RETURN_WORD}`,
  },
  {
    signature: 'allowance(address,address)',
    body: `${addressArgument(1)} ${addressArgument(0)} ${ALLOWANCE_SLOT} SLOAD ${RETURN_WORD}`,
  },
  {
    signature: 'transfer(address,uint256)',
    body: `@returnTrue CALLER ${addressArgument(0)} ${argument(1)} @move JUMP`,
  },
  {
    signature: 'approve(address,uint256)',
    body: `@returnTrue CALLER ${addressArgument(0)} ${argument(1)} @setAllowance JUMP`,
  },
  {
    signature: 'transferFrom(address,address,uint256)',
    body: `
      CALLER ${addressArgument(0)} ${ALLOWANCE_SLOT} SLOAD    ; allowance
      DUP1 NOT ISZERO @allowed JUMPI                          ; the highest allowance is never used up
      ${argument(2)} DUP2 LT @allowanceTooLow JUMPI
      @allowed ${addressArgument(0)} CALLER                   ; allowance return owner spender
      ${argument(2)} DUP5 SUB @setAllowance JUMP
      allowed:
      @returnTrue ${addressArgument(0)} ${addressArgument(1)} ${argument(2)} @move JUMP`,
  },
];

const SUBROUTINES = `
  move:                                       ; return from to amount
    DUP2 ISZERO @toZero JUMPI
    DUP3 ${BALANCES} ${MAPPING_SLOT}          ; ... fromSlot
    DUP1 SLOAD                                ; ... fromSlot fromBalance
    DUP3 DUP2 LT @balanceTooLow JUMPI
    DUP3 SWAP1 SUB SWAP1 SSTORE               ; return from to amount
    DUP2 ${BALANCES} ${MAPPING_SLOT}          ; ... toSlot
    DUP1 SLOAD DUP3 ADD SWAP1 SSTORE          ; return from to amount
    0 MSTORE SWAP1 ${TRANSFER} 32 0 LOG3
    JUMP

  setAllowance:                               ; return owner spender amount
    DUP2 ISZERO @spenderZero JUMPI
    DUP1 DUP3 DUP5 ${ALLOWANCE_SLOT} SSTORE
    0 MSTORE SWAP1 ${APPROVAL} 32 0 LOG3
    JUMP

  returnTrue: 1 ${RETURN_WORD}

  returnString:                               ; slot
    SLOAD
    32 0 MSTORE
    DUP1 0xff AND 2 SWAP1 DIV 32 MSTORE
    0xff NOT AND 64 MSTORE
    96 0 RETURN

  balanceTooLow: ${revertWith(encodeErrorString('ERC20: transfer amount exceeds balance'))}
  allowanceTooLow: ${revertWith(encodeErrorString('ERC20: insufficient allowance'))}
  toZero: ${revertWith(encodeErrorString('ERC20: transfer to the zero address'))}
  spenderZero: ${revertWith(encodeErrorString('ERC20: approve to the zero address'))}
`;

/** An ERC-20 with Solidity's storage layout and OpenZeppelin's error texts. Byzantium. */
const ERC20_RUNTIME: Uint8Array = assemble(`${dispatch(FUNCTIONS)} ${SUBROUTINES}`);

export type TokenOptions = {
  /** At most 31 bytes. */
  readonly name: string;
  /** At most 31 bytes. */
  readonly symbol: string;
  /** Supply in units of 10^-18, minted to the creator. */
  readonly supply: bigint;
};

/** Creates the init code of one token. */
export function createErc20InitCode({ name, symbol, supply }: TokenOptions): Uint8Array {
  return deployCode(
    ERC20_RUNTIME,
    `
    ${encodeShortString(name)} ${NAME} SSTORE
    ${encodeShortString(symbol)} ${SYMBOL} SSTORE
    ${supply} ${TOTAL_SUPPLY} SSTORE
    ${supply} CALLER ${BALANCES} ${MAPPING_SLOT} SSTORE
    ${supply} 0 MSTORE
    CALLER 0 ${TRANSFER} 32 0 LOG3
  `,
  );
}
