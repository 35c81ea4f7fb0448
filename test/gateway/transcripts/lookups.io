// blocks and transactions by number and hash
>> {"jsonrpc":"2.0","id":1,"method":"eth_getHeaderByNumber","params":["safe"]}
<< {"jsonrpc":"2.0","id":1,"result":{}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getHeaderByNumber","params":["0x64"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByNumber","params":["latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x2"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleCountByBlockHash","params":["0xdededededededededededededededededededededededededededededededede"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleByBlockHashAndIndex","params":["0xdededededededededededededededededededededededededededededededede","0x1"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockHashAndIndex","params":["0xdededededededededededededededededededededededededededededededede","0x1"]}
<< {"jsonrpc":"2.0","id":1,"result":{"transactionIndex":"0x1"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByHash","params":["0xdededededededededededededededededededededededededededededededede"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionReceipt","params":["0xdededededededededededededededededededededededededededededededede"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getRawTransactionByHash","params":["0xdededededededededededededededededededededededededededededededede"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByHash","params":["0xde"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: hex string has length 2, want 64 for 32 bytes"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 1"}}
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawHeader","params":["0x64"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x"}
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawBlock","params":["0x1"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xc0"}
