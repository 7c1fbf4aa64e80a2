import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.transport.Netty4Plugin;

/** One OpenSearch node in this process, as OpenSearch's own start script would start it, with the three modules
 * the tests need. Settings are arguments, {@code name=value}; it runs until the process is ended. */
public final class ClusterNode extends Node {
    private ClusterNode(Settings settings) {
        super(
            InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), (Path) null, () -> "node"),
            List.of(Netty4Plugin.class, CommonAnalysisPlugin.class, PainlessPlugin.class),
            false);
    }

    public static void main(String[] arguments) throws Exception {
        Settings.Builder settings = Settings.builder();
        for (String argument : arguments) {
            int at = argument.indexOf('=');
            settings.put(argument.substring(0, at), argument.substring(at + 1));
        }
        Node node = new ClusterNode(settings.build());
        node.start();
        System.out.println("started");
        Thread.currentThread().join();
    }
}
