// filters: ids are random, so that only what is refused can be written down; the key may have none
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded: a key can have 0 filters, of 8 MiB together (bound: filters)"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 0"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"fromBlock":"0x2","toBlock":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid block range params"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"fromBlock":"pending"}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"pending logs are not supported"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"topics":[[1]]}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: invalid topic(s)"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_newBlockFilter","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"too many arguments, want at most 0"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_newPendingTransactionFilter","params":["true"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: expected a boolean, got a string"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getFilterChanges","params":["0xab"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"filter not found"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getFilterChanges","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: expected a string, got a number"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getFilterLogs","params":["0x7a1f6e0cbb1f4a3f8a0c0d8e7c6b5a49"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"filter not found"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_uninstallFilter","params":["0xab"]}
<< {"jsonrpc":"2.0","id":1,"result":false}
