import { formatSignature } from '../abi/format-signature.ts';
import { isObject } from '../views/context.ts';
import { type CodeCall, type FunctionCall, formatAuthorizationCode, formatServiceUrl } from './code-call.ts';

/** Formats a module that sends the request with ethers 6. */
export function formatEthersCode(request: CodeCall): string {
  const { method, params, credentials, call } = request;
  if (method === 'eth_subscribe') return formatSubscription(request);
  const authorization = formatAuthorizationCode(credentials);
  const names = [
    ...(call === undefined ? [] : ['Contract']),
    ...(authorization === undefined ? [] : ['FetchRequest']),
    'JsonRpcProvider',
  ];
  return [
    `import { ${names.join(', ')} } from 'ethers';`,
    '',
    ...(authorization === undefined
      ? [`const provider = new JsonRpcProvider('${formatServiceUrl(request)}');`]
      : [
          `const connection = new FetchRequest('${formatServiceUrl(request)}');`,
          `connection.setHeader('Authorization', ${authorization});`,
          'const provider = new JsonRpcProvider(connection);',
        ]),
    ...(call === undefined
      ? [`const result = await provider.send('${method}', ${JSON.stringify(params, null, 2)});`]
      : formatRead(call)),
    'console.log(result);',
    'provider.destroy();',
  ].join('\n');
}

function formatRead({ address, from, item, argumentList, block }: FunctionCall): readonly string[] {
  const sender = from === undefined ? '' : `from: '${from}', `;
  const separator = argumentList === '' ? '' : ', ';
  return [
    `const contract = new Contract('${address}', [${JSON.stringify(formatSignature(item))}], provider);`,
    `const result = await contract.getFunction('${item.name}').staticCall(${argumentList}${separator}{ ${sender}blockTag: '${block}' });`,
  ];
}

/** Formats code for a subscription. Each kind has its own code, because ethers has its own names of events. */
function formatSubscription(request: CodeCall): string {
  const [kind, options] = request.params;
  const events: Readonly<Record<string, string>> = {
    newHeads: "'block'",
    newPendingTransactions: "'pending'",
    logs: JSON.stringify(isObject(options) ? options : {}),
  };
  const event = events[String(kind)];
  return [
    "import { WebSocketProvider } from 'ethers';",
    '',
    `const provider = new WebSocketProvider('${formatServiceUrl(request, 'ws')}');`,
    event === undefined
      ? `// ethers has no event for the subscription ${JSON.stringify(kind)}. Use viem.`
      : `await provider.on(${event}, console.log);`,
  ].join('\n');
}
