// a network that is no rollup does not have the rollup methods
>> {"jsonrpc":"2.0","id":1,"method":"l2_estimateGas","params":[{}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method l2_estimateGas does not exist/is not available"}}
>> {"jsonrpc":"2.0","id":1,"method":"linea_estimateGas","params":[{}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method linea_estimateGas does not exist/is not available"}}
>> {"jsonrpc":"2.0","id":1,"method":"rollup_getInfo"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method rollup_getInfo does not exist/is not available"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}
<< {"jsonrpc":"2.0","id":1,"result":"0x36"}
>> {"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}
<< {"jsonrpc":"2.0","id":1,"result":"Portcullis/1.2.3"}
