/** Row in the table of bounds that refuse work. Each bound needs a row, because errors, logs and metrics name the bound. */

export type BoundRow = {
  /** Text of the refusal in an error's message, or in the reason of a closed connection. A number or a unit replaces `{}`. */
  readonly says: string;
  /** Description of what is counted, for the documentation. */
  readonly counts: string;
  /** Unit of the limit. */
  readonly unit: string;
  /** Default limit, in `unit`. Absent where there is no limit by default. */
  readonly byDefault?: number;
  /** Configuration path of the option that sets the limit. Absent where the limit is fixed. */
  readonly option?: string;
  /** Row in the table of errors for a refusal. Absent where a refusal is not a JSON-RPC error, or where its row also has other causes. */
  readonly error?: string;
  /** Row in the table of errors for a call that reaches the bound after it has begun. */
  readonly lateError?: string;
  /** Outcome of a refusal in a case that `error` does not cover. */
  readonly closes?: string;
  /** Advice to the caller or the operator, for the documentation. */
  readonly remedy: string;
};

const ROWS = {
  connections: {
    says: 'too many connections',
    counts: 'TCP connections of all clients',
    unit: 'connections',
    byDefault: 4_096,
    option: 'limits.connections',
    closes: 'the connection is closed before anything is read',
    remedy: 'Keep connections alive and reuse them; raise the option together with the limit of open files',
  },
  webSockets: {
    says: 'too many WebSockets are open',
    counts: 'WebSockets of all keys',
    unit: 'connections',
    byDefault: 1_024,
    option: 'limits.webSockets',
    error: 'overloaded',
    remedy: 'Send more calls over each WebSocket; close idle WebSockets',
  },
  'webSockets.upgrades': {
    says: 'too many upgrades to WebSocket with this key are being checked',
    counts: 'upgrades whose key is being checked',
    unit: 'connections',
    byDefault: 1_024,
    option: 'limits.webSockets',
    error: 'overloaded',
    remedy: 'Connect again after a second, with growing pauses',
  },
  'webSocket.messages': {
    says: 'too many messages at once',
    counts: 'messages of one WebSocket that were read and have not started',
    unit: 'messages',
    byDefault: 2_048,
    closes: 'the WebSocket is closed with 1008',
    remedy: 'Wait for answers before sending more, or send batches',
  },
  'webSocket.controlFrames': {
    says: 'too many control frames',
    counts: 'pings and pongs of one WebSocket in a second',
    unit: 'frames',
    byDefault: 50,
    closes: 'the WebSocket is closed with 1008',
    remedy: 'A ping every few seconds is enough',
  },
  'webSocket.fragments': {
    says: 'too many fragments',
    counts: 'fragments of one WebSocket message',
    unit: 'fragments',
    byDefault: 2_048,
    closes: 'the WebSocket is closed with 1008',
    remedy: 'Send each message in one frame',
  },
  'webSocket.unsentBytes': {
    says: 'answers are not being read',
    counts: 'answers and notifications of one WebSocket that its client has not read',
    unit: 'bytes',
    byDefault: 67_108_864,
    option: 'limits.webSocketBufferedBytes',
    closes: 'the WebSocket is closed with 1008',
    remedy: 'Read faster, or request less',
  },
  'webSocket.subscriptions': {
    says: 'a connection has at most {} subscriptions',
    counts: 'subscriptions of one WebSocket',
    unit: 'subscriptions',
    byDefault: 1_000,
    option: 'limits.webSocketSubscriptions',
    error: 'tooManySubscriptions',
    remedy: 'Unsubscribe, or open another connection',
  },
  subscriptions: {
    says: 'the api key has too many subscriptions',
    counts: 'subscriptions of all WebSockets',
    unit: 'subscriptions',
    byDefault: 50_000,
    option: 'limits.subscriptions',
    error: 'tooManySubscriptions',
    remedy: 'Unsubscribe; name several addresses in one `logs` subscription',
  },
  'subscriptions.criteria': {
    says: 'the subscriptions of the api key name too many addresses, topics and hashes',
    counts:
      'addresses and topics that `logs` subscriptions of a network name, and hashes that `transactionReceipts` subscriptions name',
    unit: 'values',
    byDefault: 500_000,
    error: 'tooManySubscriptions',
    remedy: 'Name fewer addresses, topics and hashes',
  },
  'subscriptions.hashes': {
    says: 'exceed max number of transaction hashes allowed per transactionReceipts subscription',
    counts: 'hashes that one `transactionReceipts` subscription names',
    unit: 'hashes',
    byDefault: 200,
    closes: '[serverError](errors.md), -32000, HTTP 200',
    remedy:
      'Name the hashes in several subscriptions; or name no hashes to get the receipts of every transaction',
  },
  'subscriptions.startBlocks': {
    says: 'more than {} blocks before the head',
    counts: 'blocks between the head and the start that `eth_subscribe` names',
    unit: 'blocks',
    byDefault: 10_000,
    closes: '[startTooFar](errors.md), -32001, HTTP 200',
    remedy:
      'Read the blocks with `eth_getLogs` or `eth_getBlockByNumber`, then subscribe after the last of them',
  },
  'subscriptions.catchUp': {
    says: 'too many subscriptions and filters read past blocks',
    counts: 'subscriptions and filters that wait to read past blocks',
    unit: 'reads',
    byDefault: 10_000,
    error: 'busy',
    remedy: 'Repeat the call a second later',
  },
  filters: {
    says: 'a key can have {} filters, of 8 MiB together',
    counts: 'filters of one key, and 8 MiB of their criteria',
    unit: 'filters',
    byDefault: 1_000,
    option: 'limits.filters',
    error: 'tooManyFilters',
    remedy: 'Uninstall filters that are no longer polled',
  },
  'filter.bytes': {
    says: 'filter too large: more than {} bytes',
    counts: 'the record of one filter: its criteria',
    unit: 'bytes',
    byDefault: 262_144,
    error: 'filterTooLarge',
    remedy: 'Name fewer addresses and topics, in several filters',
  },
  'filter.polls': {
    says: 'too many polls of this filter at the same time',
    counts: 'restarts of a poll because another poll of the filter was faster',
    unit: 'attempts',
    byDefault: 32,
    error: 'busy',
    remedy: 'Poll a filter from one place, one poll after the other',
  },
  bodies: {
    says: 'too many requests in progress',
    counts: 'bodies in progress that the service does not answer immediately',
    unit: 'bodies',
    byDefault: 4_096,
    option: 'limits.inFlightBodies',
    error: 'overloaded',
    remedy: 'Repeat the call a second later; if the error persists, send fewer requests at a time',
  },
  'arriving.bytes': {
    says: 'too many request bytes are arriving',
    counts:
      'bodies that are arriving or being decompressed, and bodies of 64 KiB or more that are in progress',
    unit: 'bytes',
    byDefault: 134_217_728,
    option: 'limits.arrivingBytes',
    error: 'overloaded',
    closes: 'a WebSocket whose message is still arriving is closed with 1013',
    remedy: 'Send smaller bodies, or fewer at a time',
  },
  'compression.jobs': {
    says: 'too many bodies are being decompressed',
    counts: 'compressed bodies and answers that wait for a thread, for 2 s at most',
    unit: 'bodies',
    byDefault: 256,
    error: 'overloaded',
    remedy: 'Send bodies without compression, or fewer at a time',
  },
  'unsent.bytes': {
    says: 'too many answers have not been read',
    counts: 'answers that clients have not read, of all connections',
    unit: 'bytes',
    byDefault: 268_435_456,
    option: 'limits.unsentBytes',
    error: 'overloaded',
    closes: 'connections with the most unread are closed, those of subscribers with 1008',
    remedy: 'Read answers as they come, or request less',
  },
  'answers.bytes': {
    says: 'too many large answers are in progress',
    counts: 'answers of all calls and batches that are being built or sent',
    unit: 'bytes',
    byDefault: 268_435_456,
    option: 'limits.unsentBytes',
    error: 'overloaded',
    lateError: 'busy',
    remedy: 'Request less at a time: fewer blocks of logs, smaller batches',
  },
  'body.bytes': {
    says: 'request body too large',
    counts: 'one body or WebSocket message, before and after decompression',
    unit: 'bytes',
    byDefault: 5_242_880,
    option: 'limits.bodyBytes',
    error: 'bodyTooLarge',
    closes: 'a WebSocket is closed with 1009',
    remedy: 'Send smaller batches',
  },
  'body.depth': {
    says: 'nested too deeply',
    counts: 'nested lists and objects in one body of 64 KiB or more',
    unit: 'levels',
    byDefault: 64,
    closes: '[parseError](errors.md), -32700, HTTP 200',
    remedy: 'Send parameters in the form of the method: no method needs more than six levels',
  },
  'body.values': {
    says: 'more than {} elements and members',
    counts: 'elements, members and containers of one body',
    unit: 'values',
    byDefault: 100_000,
    closes: '[invalidRequest](errors.md), -32600, HTTP 200',
    remedy: 'Send several requests, with fewer accounts and slots each',
  },
  'body.numberLength': {
    says: 'a number of more than {} characters',
    counts: 'one number of a body of 64 KiB or more',
    unit: 'characters',
    byDefault: 1_000,
    closes: '[parseError](errors.md), -32700, HTTP 200',
    remedy: 'Send quantities as hex strings',
  },
  'body.blanks': {
    says: 'more than {} blanks in a row',
    counts: 'blanks between two values of a body of 64 KiB or more',
    unit: 'characters',
    byDefault: 65_536,
    closes: '[parseError](errors.md), -32700, HTTP 200',
    remedy: 'Send JSON without indentation',
  },
  'body.idLength': {
    says: '"id" is longer than {} characters',
    counts: 'one id of a request',
    unit: 'characters',
    byDefault: 65_536,
    closes: '[invalidRequest](errors.md), -32600, HTTP 200',
    remedy: 'Send a number or a short string',
  },
  'head.bytes': {
    says: 'request headers too large',
    counts: 'the request line and the headers of one request',
    unit: 'bytes',
    byDefault: 16_384,
    error: 'headTooLarge',
    remedy: 'Send fewer headers, above all fewer cookies',
  },
  'batch.items': {
    says: 'the limit is {} items',
    counts: 'items of one batch',
    unit: 'items',
    byDefault: 1_000,
    option: 'limits.batchItems',
    error: 'batchTooLarge',
    remedy: 'Send smaller batches',
  },
  'batch.answerBytes': {
    says: 'response too large',
    counts: 'the answers of one batch, or the result of one call that is executed here',
    unit: 'bytes',
    byDefault: 25_000_000,
    option: 'limits.batchAnswerBytes',
    error: 'responseTooLarge',
    remedy: 'Send the items that have this error in another batch',
  },
  'network.calls': {
    says: 'too many calls on this network are queued',
    counts:
      'calls in progress on one network; `limits.networkQueue` further calls are queued, for `limits.queueWait` at most',
    unit: 'calls',
    byDefault: 512,
    option: 'limits.networkCalls',
    error: 'overloaded',
    remedy: 'Repeat the call a second later; if the error persists, send fewer calls at a time',
  },
  'network.rate': {
    says: 'too many requests on this network',
    counts: 'calls of all keys on one network in a second',
    unit: 'calls',
    option: 'networks.*.rate',
    error: 'networkLimited',
    remedy: 'Wait as long as `data` and `Retry-After` say',
  },
  'key.rate': {
    says: 'project ID request rate exceeded',
    counts: 'calls of one key in a second',
    unit: 'calls',
    option: 'access.rate',
    error: 'rateLimited',
    remedy: 'Wait as long as `data` and `Retry-After` say',
  },
  'key.credits': {
    says: 'daily request count exceeded, request rate limited',
    counts: 'credits of one key in a day (UTC)',
    unit: 'credits',
    option: 'access.dailyCredits',
    error: 'creditsSpent',
    closes: 'a WebSocket whose notifications cost more is closed with 1008',
    remedy: 'Wait until the next day (UTC), or get a key with more credits',
  },
  'address.failures': {
    says: 'too many requests with wrong keys',
    counts: 'requests with wrong keys from one address at once, or one IPv6 /64',
    unit: 'requests',
    byDefault: 30,
    option: 'access.failures.burst',
    error: 'tooManyFailures',
    remedy: 'Correct the key; keys that are in use stay valid',
  },
  'executions.waiting': {
    says: 'too many executions are waiting',
    counts: 'heavy executions that wait for a thread until their time is up',
    unit: 'calls',
    byDefault: 4_096,
    option: 'execution.waitingCalls',
    error: 'busy',
    remedy: 'Repeat the call a second later; if the error persists, send fewer calls at a time',
  },
  'proofs.waiting': {
    says: 'too many proofs are waiting',
    counts: 'proofs below the head of an embedded chain that are queued, for 10 s at most',
    unit: 'proofs',
    byDefault: 64,
    error: 'busy',
    remedy: 'Repeat the call a second later; if the error persists, send fewer calls at a time',
  },
  'proofs.attempts': {
    says: 'blocks are being imported',
    counts: 'restarts of a proof because the head has moved',
    unit: 'attempts',
    byDefault: 3,
    error: 'busy',
    remedy: 'Repeat the call when the import is done',
  },
  'nodes.rate': {
    says: 'every node is rate limited',
    counts: 'requests that the nodes of a network accept by their own limits',
    unit: 'requests',
    error: 'busy',
    remedy: 'Retry after a second; if the error persists, add nodes or upgrade their plans',
  },
  'node.inFlight': {
    says: 'too many calls are in flight to the nodes',
    counts: 'calls in flight to one node',
    unit: 'calls',
    byDefault: 1_024,
    option: 'networks.*.upstreams[].inFlight',
    error: 'busy',
    remedy: 'Retry after a second; if the error persists, add nodes or upgrade their plans',
  },
  'node.answerBytes': {
    says: 'the answer exceeds the bound on its size',
    counts: 'one answer of a node, after decompression',
    unit: 'bytes',
    byDefault: 134_217_728,
    option: 'networks.*.pool.answerBytes',
    closes: '[unavailable](errors.md), -32603, HTTP 200; an answer that has begun ends the connection',
    remedy: 'Request less in one call, such as one transaction instead of a block; or raise the option',
  },
  'nodes.bytes': {
    says: 'answers of nodes use all the memory that they may',
    counts:
      'buffered answers of the nodes of all networks, with the parsed form of long answers; one node may use half of the bound',
    unit: 'bytes',
    byDefault: 268_435_456,
    option: 'limits.nodeBytes',
    error: 'busy',
    remedy: 'Repeat the call a second later; request less in one call',
  },
  'state.turns': {
    says: 'too many calls wait for nodes to prove state',
    counts:
      'queued requests of calls on one network of nodes; each request is for proofs of up to 32 accounts or 124 slots, and waits for 5 s at most',
    unit: 'turns',
    byDefault: 4_096,
    error: 'busy',
    remedy: 'Repeat the call a second later; send calls that read less at a time',
  },
  'state.keys': {
    says: 'the api key requests proofs of too much state',
    counts:
      'accounts and slots in a second, for one key on one network of nodes, after a burst of twice as many; accounts and slots count that nodes prove for calls, or that `eth_getProof` and `eth_getStorageValues` read beyond one slot; a call that would have to wait beyond its time limit is refused at once',
    unit: 'accounts and slots',
    byDefault: 256,
    error: 'busy',
    remedy: 'Repeat the call a few seconds later; send calls that read less',
  },
  'call.entries': {
    says: 'the call has more than {} entries in its lists and overrides',
    counts:
      'accounts and slots of state overrides, accounts and slots of access lists, authorizations, blob hashes and withdrawals of one call, or of one `eth_simulateV1` with all its blocks; also accounts of one `eth_getStorageValues`',
    unit: 'entries',
    byDefault: 8_192,
    error: 'callTooLarge',
    remedy:
      'Split the call; a transaction of 128 KiB, the maximum of nodes, has at most half as many entries',
  },
  'call.provenKeys': {
    says: 'the call reads more accounts and slots than nodes prove for one call',
    counts:
      'accounts and slots that nodes prove for one call that is executed here; nodes execute a call that needs more, and with `verify: require` this call is refused',
    unit: 'accounts and slots',
    byDefault: 1_024,
    closes: '-32603 `no node could answer: …` with `verify: require`; otherwise nodes execute the call',
    remedy: 'Split the call into calls that read less',
  },
  'sends.bytes': {
    says: 'too many transactions are being sent',
    counts: 'transactions that are on their way to the nodes of a network',
    unit: 'bytes',
    byDefault: 67_108_864,
    error: 'busy',
    remedy: 'The transaction was not sent: send it again a second later',
  },
  'sends.waiting': {
    says: 'too many calls wait for the receipts of their transactions',
    counts:
      'calls of `eth_sendRawTransactionSync` that wait for a block with their transaction, on one network',
    unit: 'calls',
    byDefault: 1_024,
    error: 'busy',
    remedy:
      'The transaction was not sent: send it with `eth_sendRawTransaction`, and request its receipt later',
  },
  'logs.results': {
    says: 'query returned more than {}',
    counts: 'logs of one answer',
    unit: 'logs',
    byDefault: 10_000,
    option: 'networks.*.logs.results',
    closes: '[tooManyLogs](errors.md), -32005, HTTP 200',
    remedy: 'Request the range that the message names, or fewer addresses and topics',
  },
  'logs.bytes': {
    says: 'query returned more than {}',
    counts: 'the text of one answer of logs',
    unit: 'bytes',
    byDefault: 33_554_432,
    option: 'networks.*.logs.bytes',
    closes: '[tooManyLogs](errors.md), -32005, HTTP 200',
    remedy: 'Request the range that the message names, or fewer addresses and topics',
  },
  'logs.blockRange': {
    says: 'exceed maximum block range {}',
    counts: 'blocks of one range of logs',
    unit: 'blocks',
    option: 'networks.*.logs.blockRange',
    closes: '[invalidParams](errors.md), -32602, HTTP 200',
    remedy: 'Request fewer blocks at a time',
  },
  'logs.values': {
    says: 'exceed max addresses or topics per search position',
    counts: 'addresses, or topics of one position, of one filter of logs',
    unit: 'values',
    byDefault: 1_000,
    closes: '[serverError](errors.md), -32000, HTTP 200',
    remedy: 'Send several requests, with fewer addresses and topics each',
  },
  'simulation.blocks': {
    says: 'too many blocks',
    counts: 'blocks of one `eth_simulateV1`, including those between the numbers that it names',
    unit: 'blocks',
    byDefault: 256,
    closes: '[simulationLimit](errors.md), -38026, HTTP 200',
    remedy: 'Simulate fewer blocks at a time',
  },
  'simulation.blockCalls': {
    says: 'too many calls in block: {}',
    counts: 'calls in one block of `eth_simulateV1`',
    unit: 'calls',
    byDefault: 5_000,
    closes: '[simulationLimit](errors.md), -38026, HTTP 200',
    remedy: 'Divide the calls among blocks, or simulate several times',
  },
  'simulation.calls': {
    says: 'too many calls: {}',
    counts: 'calls of one `eth_simulateV1`',
    unit: 'calls',
    byDefault: 10_000,
    closes: '[simulationLimit](errors.md), -38026, HTTP 200',
    remedy: 'Divide the simulation into several calls',
  },
  'call.slots': {
    says: 'too many {}',
    counts: 'slots of one `eth_getStorageValues` or `eth_getProof`',
    unit: 'slots',
    byDefault: 1_024,
    closes: '[limitExceeded](errors.md), -38026, or [invalidParams](errors.md), -32602, HTTP 200',
    remedy: 'Send several requests, for fewer slots each',
  },
  'feeHistory.percentiles': {
    says: 'invalid reward percentile: over the query limit {}',
    counts: 'percentiles of one `eth_feeHistory`',
    unit: 'percentiles',
    byDefault: 100,
    closes: '[serverError](errors.md), -32000, HTTP 200',
    remedy: 'Send several requests, for fewer percentiles each',
  },
  'transaction.bytes': {
    says: 'oversized data: transaction size {}',
    counts:
      'one transaction that is sent; the bound is 1,048,576 bytes for a transaction with blobs, and 524,288 bytes for other transactions if `send.rules` is `form`',
    unit: 'bytes',
    byDefault: 131_072,
    closes: '[serverError](errors.md), -32000, HTTP 200',
    remedy: 'Send less calldata or code in one transaction',
  },
  'call.time': {
    says: 'execution aborted (timeout = {})',
    counts: 'one call, from its start to its result',
    unit: 'milliseconds',
    byDefault: 5_000,
    option: 'networks.*.callTimeout',
    closes: '[executionTimedOut](errors.md), -32000, HTTP 200',
    remedy: 'Repeat the call; request less in one call',
  },
  'request.time': {
    says: 'request timed out',
    counts: 'one body or message, from its last byte to its answer',
    unit: 'milliseconds',
    byDefault: 30_000,
    option: 'limits.requestTimeout',
    error: 'timedOut',
    remedy: 'Repeat the request; send smaller batches',
  },
  'body.time': {
    says: 'request body timed out',
    counts: 'the body of one request, from the first byte of the request to the last',
    unit: 'milliseconds',
    byDefault: 30_000,
    option: 'limits.bodyTimeout',
    error: 'slowBody',
    remedy: 'Send a body in one piece, when all of it is ready; for headers see `limits.headersTimeout`',
  },
  'webSocket.messageTime': {
    says: 'a message took too long to arrive',
    counts: 'one WebSocket message, from its first byte to the last',
    unit: 'milliseconds',
    byDefault: 30_000,
    option: 'limits.bodyTimeout',
    closes: 'the WebSocket is closed with 1008',
    remedy: 'Send a message in one piece, when all of it is ready',
  },
  'webSocket.pong': {
    says: 'no answer to a ping',
    counts: 'time from a ping of the service to the pong of the client',
    unit: 'milliseconds',
    byDefault: 30_000,
    option: 'limits.webSocketPing',
    closes: 'the WebSocket is closed with 1008, where its client still reads',
    remedy: 'Answer pings, as libraries do while their event loop runs; connect again',
  },
  'send.time': {
    says: 'answers are not being read',
    counts: 'the time in which a client reads nothing of the answers of one connection',
    unit: 'milliseconds',
    byDefault: 30_000,
    option: 'limits.sendTimeout',
    closes: 'the connection is closed, that of a subscriber with 1008',
    remedy: 'Read faster, or request less',
  },
  'send.rate': {
    says: 'answers are read too slowly',
    counts:
      'bytes that the client of one connection reads in a second, on average, after `limits.sendTimeout`',
    unit: 'bytes',
    byDefault: 16_384,
    option: 'limits.sendRate',
    closes: 'a slower connection is closed, a WebSocket with 1008',
    remedy: 'Read faster, or request less',
  },
  'tls.handshakeTime': {
    says: 'the TLS handshake took too long',
    counts: 'a TLS handshake, from the start of its connection',
    unit: 'milliseconds',
    byDefault: 10_000,
    option: 'limits.handshakeTimeout',
    closes: 'the connection is closed before anything is read',
    remedy: 'Connect again, over a network that loses fewer packets',
  },
  'admin.connections': {
    says: 'too many connections to the admin server',
    counts: 'TCP connections to the admin server',
    unit: 'connections',
    byDefault: 64,
    closes: 'the connection is closed before anything is read',
    remedy: 'Close pages that are no longer used',
  },
  'admin.guesses': {
    says: 'too many wrong keys',
    counts: 'wrong keys of the admin server from one address at once, or one IPv6 /64',
    unit: 'requests',
    byDefault: 30,
    closes: '429 of the admin server, with `Retry-After`',
    remedy: 'Wait as long as `Retry-After` says',
  },
  'admin.pages': {
    says: 'too many pages are watching',
    counts: 'status pages that are open',
    unit: 'pages',
    byDefault: 16,
    closes: '503 of the admin server, with `Retry-After`',
    remedy: 'Close pages that are no longer used',
  },
  'admin.calls': {
    says: 'too many requests of consoles in progress',
    counts: 'calls of consoles that are not answered yet',
    unit: 'calls',
    byDefault: 16,
    closes: '503 of the admin server',
    remedy: 'Wait for answers',
  },
  'admin.subscriptions': {
    says: 'too many consoles are watching',
    counts: 'subscriptions that consoles have open',
    unit: 'subscriptions',
    byDefault: 16,
    closes: '503 of the admin server',
    remedy: 'End subscriptions that are no longer used',
  },
  'mcp.connections': {
    says: 'too many connections to the MCP server',
    counts: 'TCP connections to `portcullis mcp --listen`',
    unit: 'connections',
    byDefault: 256,
    closes: 'the connection is closed before anything is read',
    remedy: 'Keep connections alive and reuse them',
  },
  'mcp.requests': {
    says: 'too many requests to the MCP server in progress',
    counts:
      'requests to `portcullis mcp --listen` that are not answered yet; each key that the gateway has accepted has a share, and all other keys of an address have one together',
    unit: 'requests',
    byDefault: 64,
    closes: '503 of the MCP server, with `Retry-After`',
    remedy: 'Wait for answers before calling more tools',
  },
  'mcp.answerTime': {
    says: 'the answer took too long',
    counts: 'one request to `portcullis mcp --listen`, until its client has the answer',
    unit: 'milliseconds',
    byDefault: 120_000,
    closes: 'the connection is closed',
    remedy: 'Request less, such as a smaller range of blocks; read answers as they come',
  },
  'mcp.gatewayRequests': {
    says: 'too many requests of tools to the gateway',
    counts:
      'requests of all tools to the gateway, at most 8 of one tool call; further requests wait for 60 s at most',
    unit: 'requests',
    byDefault: 64,
    closes: 'an error of the tool',
    remedy: 'Call fewer tools at a time',
  },
  'mcp.answerBytes': {
    says: 'the answers of the gateway to tools are too large',
    counts: 'answers of the gateway to tool calls in progress; one tool call may use half of the bound',
    unit: 'bytes',
    byDefault: 134_217_728,
    closes: 'an error of the tool',
    remedy: 'Call fewer tools at a time, or request less',
  },
  'provider.answerBytes': {
    says: 'the answer is too large for one JavaScript string',
    counts: 'the answer to one request of a provider of `createGateway`, which is parsed as one string',
    unit: 'bytes',
    byDefault: 524_288_000,
    closes: 'an error of the provider with code -32602',
    remedy: 'Request a smaller range, or use HTTP, which has no such bound',
  },
} as const;

/** Name of a bound, as in errors, logs and metrics. */
export type BoundName = keyof typeof ROWS;

type Rows = typeof ROWS;

/** Rows in the table of errors that a refusal by this bound may have. */
type ErrorsOf<N extends BoundName> = {
  [M in N]:
    | (Rows[M] extends { readonly error: infer E } ? E : never)
    | (Rows[M] extends { readonly lateError: infer E } ? E : never);
}[N];

/** Rows in the table of errors that only bounds use. */
export type BoundError = ErrorsOf<BoundName>;

/** Bounds whose refusals may have this row. */
export type BoundsOf<E extends BoundError> = {
  [N in BoundName]: E extends ErrorsOf<N> ? N : never;
}[BoundName];

/** Names of the bounds that have a default. */
type Numbered = { [N in BoundName]: Rows[N] extends { readonly byDefault: number } ? N : never }[BoundName];

export const BOUNDS: Readonly<Record<BoundName, BoundRow>> = ROWS;

export const BOUND_NAMES: readonly BoundName[] = Object.keys(BOUNDS) as BoundName[];

/** Returns the default of a bound, in its unit. */
export function limitOf(name: Numbered): number {
  return ROWS[name].byDefault;
}

/** Returns the rows in the table of errors that a refusal by this bound may have, the usual row first. */
export function listErrors(name: BoundName): readonly BoundError[] {
  const { error, lateError } = BOUNDS[name];
  return [error, lateError].filter((row) => row !== undefined) as BoundError[];
}

/**
 * Describes a refusal by the bound's words and name, such as `too many proofs are waiting (bound: proofs.waiting)`.
 * @param detail replaces `{}`
 */
export function describeBoundRefusal(name: BoundName, detail: number | string = ''): string {
  return `${BOUNDS[name].says.replace('{}', () => String(detail))} (bound: ${name})`;
}
