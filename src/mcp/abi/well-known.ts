import { type AbiEntry, parseErrorSignature, parseEvent } from './signatures.ts';

/** Events of standards. If two events have the same signature but different indexed parameters, the number of topics distinguishes their logs. */
const EVENTS: readonly string[] = [
  // ERC-20 and ERC-721
  'Transfer(address indexed from, address indexed to, uint256 value)',
  'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'Approval(address indexed owner, address indexed spender, uint256 value)',
  'Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
  'ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  // ERC-1155
  'TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'URI(string value, uint256 indexed id)',
  // ERC-4626
  'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
  // WETH9
  'Deposit(address indexed dst, uint256 wad)',
  'Withdrawal(address indexed src, uint256 wad)',
  // ERC-1967, OpenZeppelin's access control
  'Upgraded(address indexed implementation)',
  'AdminChanged(address previousAdmin, address newAdmin)',
  'BeaconUpgraded(address indexed beacon)',
  'Initialized(uint64 version)',
  'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
  'Paused(address account)',
  'Unpaused(address account)',
  // Uniswap v2 and v3 pools
  'Sync(uint112 reserve0, uint112 reserve1)',
  'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  // Deposit contract of the beacon chain; ERC-4337
  'DepositEvent(bytes pubkey, bytes withdrawal_credentials, bytes amount, bytes signature, bytes index)',
  'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
];

/** Errors of ERC-6093 and of OpenZeppelin's contracts. */
const ERRORS: readonly string[] = [
  'ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'ERC20InvalidSender(address sender)',
  'ERC20InvalidReceiver(address receiver)',
  'ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'ERC20InvalidApprover(address approver)',
  'ERC20InvalidSpender(address spender)',
  'ERC721InvalidOwner(address owner)',
  'ERC721NonexistentToken(uint256 tokenId)',
  'ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'ERC721InvalidReceiver(address receiver)',
  'ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
  'ERC1155InvalidReceiver(address receiver)',
  'ERC1155MissingApprovalForAll(address operator, address owner)',
  'OwnableUnauthorizedAccount(address account)',
  'OwnableInvalidOwner(address owner)',
  'AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'EnforcedPause()',
  'ExpectedPause()',
  'ReentrancyGuardReentrantCall()',
  'InvalidInitialization()',
  'NotInitializing()',
  'SafeERC20FailedOperation(address token)',
  'FailedCall()',
  'AddressEmptyCode(address target)',
  'InsufficientBalance(uint256 balance, uint256 needed)',
  'FailedOp(uint256 opIndex, string reason)',
];

/** Parsed on first use: a tool that decodes nothing does not pay for it. */
let events: readonly AbiEntry[] | undefined;
let errors: readonly AbiEntry[] | undefined;

export function listKnownEvents(): readonly AbiEntry[] {
  events ??= EVENTS.map(parseEvent);
  return events;
}

export function listKnownErrors(): readonly AbiEntry[] {
  errors ??= ERRORS.map(parseErrorSignature);
  return errors;
}
