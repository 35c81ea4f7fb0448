// Reads a chain with web3j over HTTP and WebSocket, follows its filters, and sends to the contract.
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.web3j.abi.EventEncoder;
import org.web3j.abi.FunctionEncoder;
import org.web3j.abi.TypeReference;
import org.web3j.abi.datatypes.Event;
import org.web3j.abi.datatypes.Function;
import org.web3j.abi.datatypes.generated.Bytes32;
import org.web3j.abi.datatypes.generated.Uint256;
import org.web3j.crypto.Credentials;
import org.web3j.protocol.Web3j;
import org.web3j.protocol.core.DefaultBlockParameter;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.methods.request.EthFilter;
import org.web3j.protocol.core.methods.request.Transaction;
import org.web3j.protocol.core.methods.response.EthBlock;
import org.web3j.protocol.core.methods.response.EthLog;
import org.web3j.protocol.core.methods.response.EthSendTransaction;
import org.web3j.protocol.core.methods.response.Log;
import org.web3j.protocol.core.methods.response.TransactionReceipt;
import org.web3j.protocol.http.HttpService;
import org.web3j.protocol.websocket.WebSocketService;
import org.web3j.tx.RawTransactionManager;
import org.web3j.tx.response.PollingTransactionReceiptProcessor;
import org.web3j.utils.Async;
import org.web3j.utils.Numeric;

public final class Work {
  private static final int POLL_MS = 200;
  private static final int WAIT_SECONDS = 60;
  private static final ObjectMapper JSON = new ObjectMapper()
      .setVisibility(PropertyAccessor.ALL, Visibility.NONE)
      .setVisibility(PropertyAccessor.FIELD, Visibility.ANY);

  private static void note(String what, Object... values) throws Exception {
    System.out.println(what + " " + JSON.writeValueAsString(values));
  }

  private static DefaultBlockParameter at(long number) {
    return DefaultBlockParameter.valueOf(BigInteger.valueOf(number));
  }

  private static String encodeLog1(byte[] topic, long value) {
    return FunctionEncoder.encode(new Function("log1", List.of(new Uint256(value), new Bytes32(topic)), List.of()));
  }

  private static void read(Web3j web3, String contract, long head, Credentials sender) throws Exception {
    note("chain", web3.ethChainId().send().getChainId(), web3.netVersion().send().getNetVersion());
    note("listening", web3.netListening().send().isListening());
    for (long number = 0; number <= head; number++) {
      EthBlock.Block block = web3.ethGetBlockByNumber(at(number), true).send().getBlock();
      note("block", block);
      note("by hash", web3.ethGetBlockByHash(block.getHash(), false).send().getBlock());
      note("receipts", web3.ethGetBlockReceipts(at(number)).send().getBlockReceipts().orElse(null));
      note("count", web3.ethGetBlockTransactionCountByHash(block.getHash()).send().getTransactionCount());
      for (EthBlock.TransactionResult<?> result : block.getTransactions()) {
        String hash = ((EthBlock.TransactionObject) result.get()).getHash();
        note("transaction", web3.ethGetTransactionByHash(hash).send().getTransaction().orElse(null));
        note("receipt", web3.ethGetTransactionReceipt(hash).send().getTransactionReceipt().orElse(null));
      }
    }
    EthFilter filter = new EthFilter(at(0), at(head), contract);
    note("logs", web3.ethGetLogs(filter).send().getLogs());
    note("none", web3.ethGetTransactionReceipt("0x" + "00".repeat(32)).send().getTransactionReceipt().orElse(null));
    note("code", web3.ethGetCode(contract, at(head)).send().getCode());
    note("storage", web3.ethGetStorageAt(contract, BigInteger.ZERO, at(head)).send().getData());
    note("proof", web3.ethGetProof(contract, List.of("0x0"), Numeric.encodeQuantity(BigInteger.valueOf(head))).send().getProof());
    note("balance", web3.ethGetBalance("0x" + "77".repeat(20), at(head)).send().getBalance());
    // anvil says of any block that the fee behind it is the one behind its head.
    var fees = web3.ethFeeHistory(3, at(head), Arrays.asList(10.0, 90.0)).send().getFeeHistory();
    note("fees", fees.getOldestBlock(), fees.getReward(), fees.getGasUsedRatio(), fees.getBaseFeePerGas().subList(0, 3));
    String data = encodeLog1(new byte[32], 7);
    Transaction call = Transaction.createEthCallTransaction(sender.getAddress(), contract, data);
    note("call", web3.ethCall(call, at(head)).send().getValue(), web3.ethEstimateGas(call).send().getAmountUsed());
    Transaction failing = Transaction.createEthCallTransaction(sender.getAddress(), contract, "0x01020304");
    note("failed call", web3.ethCall(failing, at(head)).send().hasError(), web3.ethEstimateGas(failing).send().hasError());
  }

  private static void send(Web3j web3, Web3j socket, String contract, Credentials sender, byte[] topic) throws Exception {
    // geth refuses filters that begin above the head.
    BigInteger start = web3.ethBlockNumber().send().getBlockNumber();
    EthFilter filter = new EthFilter(DefaultBlockParameter.valueOf(start), DefaultBlockParameterName.LATEST, contract);
    CompletableFuture<Log> polled = new CompletableFuture<>();
    CompletableFuture<Log> pushed = new CompletableFuture<>();
    CompletableFuture<String> header = new CompletableFuture<>();
    var poll = web3.ethLogFlowable(filter).filter(log -> log.getBlockNumber().compareTo(start) > 0).subscribe(polled::complete, polled::completeExceptionally);
    var push = socket.ethLogFlowable(filter).filter(log -> log.getBlockNumber().compareTo(start) > 0).subscribe(pushed::complete, pushed::completeExceptionally);
    var heads = socket.newHeadsNotifications().subscribe(
        notification -> header.complete(notification.getParams().getResult().getNumber()), header::completeExceptionally);
    TimeUnit.SECONDS.sleep(1);
    long chain = web3.ethChainId().send().getChainId().longValue();
    RawTransactionManager manager = new RawTransactionManager(web3, sender, chain);
    BigInteger gas = BigInteger.valueOf(100_000);
    BigInteger tip = web3.ethMaxPriorityFeePerGas().send().getMaxPriorityFeePerGas();
    BigInteger fee = BigInteger.TEN.pow(10).add(tip);
    EthSendTransaction sent = manager.sendEIP1559Transaction(chain, tip, fee, gas, contract, encodeLog1(topic, 41), BigInteger.ZERO);
    if (sent.hasError()) throw new IllegalStateException(sent.getError().getMessage());
    PollingTransactionReceiptProcessor processor = new PollingTransactionReceiptProcessor(web3, POLL_MS, 200);
    TransactionReceipt receipt = processor.waitForTransactionReceipt(sent.getTransactionHash());
    note("sent", receipt.getStatus(), receipt.getGasUsed(), receipt.getType(), receipt.getLogs().size());
    for (var followed : List.of(polled, pushed)) {
      Log log = followed.get(WAIT_SECONDS, TimeUnit.SECONDS);
      note("followed", log.getData(), log.getTopics(), log.getBlockHash().equals(receipt.getBlockHash()), log.getLogIndex());
    }
    note("head", Numeric.decodeQuantity(header.get(WAIT_SECONDS, TimeUnit.SECONDS)).equals(receipt.getBlockNumber()));
    poll.dispose();
    push.dispose();
    heads.dispose();
    sent = manager.sendEIP1559Transaction(chain, tip, fee, gas, contract, "0x01020304", BigInteger.ZERO);
    receipt = processor.waitForTransactionReceipt(sent.getTransactionHash());
    note("failed", receipt.getStatus(), receipt.getGasUsed(), receipt.getLogs().size());
  }

  private static void work(String url, String key, String contract, long head, String socketUrl) throws Exception {
    ScheduledExecutorService polls = Async.defaultExecutorService();
    Credentials sender = Credentials.create(key);
    Web3j web3 = Web3j.build(new HttpService(url), POLL_MS, polls);
    WebSocketService connection = new WebSocketService(socketUrl, false);
    connection.connect();
    Web3j socket = Web3j.build(connection, POLL_MS, polls);
    Event logged = new Event("Logged", List.of(new TypeReference<Uint256>() {}));
    read(web3, contract, head, sender);
    read(socket, contract, head, sender);
    send(web3, socket, contract, sender, Numeric.hexStringToByteArray(EventEncoder.encode(logged)));
  }

  public static void main(String[] args) {
    try {
      work(args[0], args[1], args[2], Long.parseLong(args[3]), args[4]);
      System.exit(0);
    } catch (Exception error) {
      // Its threads would go on.
      error.printStackTrace();
      System.exit(1);
    }
  }
}
