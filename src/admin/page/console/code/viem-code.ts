import { formatSignature } from '../abi/format-signature.ts';
import { type CodeCall, type FunctionCall, formatAuthorizationCode, formatServiceUrl } from './code-call.ts';

/** Formats a module that sends the request with viem. */
export function formatViemCode(request: CodeCall): string {
  const { method, params, credentials, call } = request;
  if (method === 'eth_subscribe') return formatSubscription(request);
  const authorization = formatAuthorizationCode(credentials);
  const options =
    authorization === undefined
      ? ''
      : `, {\n    fetchOptions: { headers: { Authorization: ${authorization} } },\n  }`;
  return [
    `import { createPublicClient, http${call === undefined ? '' : ', parseAbi'} } from 'viem';`,
    '',
    'const client = createPublicClient({',
    `  transport: http('${formatServiceUrl(request)}'${options}),`,
    '});',
    ...(call === undefined
      ? [`const result = await client.request(${formatJson({ method, params })});`]
      : formatRead(call)),
    'console.log(result);',
  ].join('\n');
}

function formatRead({ address, from, item, argumentList, block }: FunctionCall): readonly string[] {
  const blockOption = block.startsWith('0x') ? `blockNumber: ${BigInt(block)}n` : `blockTag: '${block}'`;
  return [
    'const result = await client.readContract({',
    `  address: '${address}',`,
    `  abi: parseAbi([${JSON.stringify(formatSignature(item))}]),`,
    `  functionName: '${item.name}',`,
    `  args: [${argumentList}],`,
    ...(from === undefined ? [] : [`  account: '${from}',`]),
    `  ${blockOption},`,
    '});',
  ];
}

function formatSubscription(request: CodeCall): string {
  return [
    "import { createPublicClient, webSocket } from 'viem';",
    '',
    'const client = createPublicClient({',
    `  transport: webSocket('${formatServiceUrl(request, 'ws')}'),`,
    '});',
    'await client.transport.subscribe({',
    `  params: ${formatJson(request.params)},`,
    '  onData: ({ result }) => console.log(result),',
    '  onError: console.error,',
    '});',
  ].join('\n');
}

function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
