"""A cluster of real OpenSearch nodes on loopback, each a process of its own: to be killed and started."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PATIENCE = 180.0
"""Seconds a node may take to answer on a busy machine."""


def classpath(folder: Path) -> str:
    """Where the jars are, fetched by Maven. RuntimeError says why there are none."""
    for tool in ("java", "mvn"):
        if shutil.which(tool) is None:
            raise RuntimeError(f"needs {tool} (Debian: apt-get install openjdk-17-jdk-headless maven)")
    found = folder / "classpath"
    command = ["mvn", "-B", "-q", "-f", str(HERE / "pom.xml"), "dependency:build-classpath"]
    done = subprocess.run(
        [*command, f"-Dmdep.outputFile={found}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise RuntimeError(f"Maven has no jars of OpenSearch: {done.stdout.strip()[-300:]}")
    return found.read_text("utf-8").strip()


class Node:
    """One node: ``start`` it, ``kill`` it as a power cut would, and start it again with what it had."""

    def __init__(self, number: int, folder: Path, jars: str, ports: list[tuple[int, int]]) -> None:
        self.name = f"node-{number}"
        self.port, transport = ports[number]
        self._log = folder / "log"
        seeds = ",".join(f"127.0.0.1:{other}" for _, other in ports)
        settings = {
            "cluster.name": "lawkb-tests",
            "node.name": self.name,
            "path.home": folder,
            "network.host": "127.0.0.1",
            "http.port": self.port,
            "transport.port": transport,
            "http.type": "netty4",
            "transport.type": "netty4",
            "discovery.seed_hosts": seeds,
            "cluster.initial_cluster_manager_nodes": "node-0",
            # Of two nodes that both may lead neither could alone: the first leads.
            "node.roles": "cluster_manager,data" if number == 0 else "data",
            "cluster.routing.allocation.disk.threshold_enabled": "false",
        }
        folder.mkdir(parents=True, exist_ok=True)
        heap = ["-Xms384m", "-Xmx384m", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=ERROR"]
        given = [f"{name}={value}" for name, value in settings.items()]
        self._command = ["java", *heap, "-cp", jars, str(HERE / "ClusterNode.java"), *given]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)

    def kill(self) -> None:
        """At once, without a word to the others."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def said(self) -> str:
        return self._log.read_text("utf-8", "replace")[-2000:] if self._log.exists() else ""

    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None


class Nodes:
    """The cluster."""

    def __init__(self, folder: Path, count: int) -> None:
        jars = classpath(folder)
        ports = [(_free_port(), _free_port()) for _ in range(count)]
        self.nodes = [Node(n, folder / f"node-{n}", jars, ports) for n in range(count)]

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        self.wait(len(self.nodes))

    def stop(self) -> None:
        for node in self.nodes:
            node.kill()

    def wait(self, count: int, status: str = "") -> dict[str, Any]:
        """Until the cluster has so many nodes (and is ``green``); what it says of its health."""
        end = time.monotonic() + PATIENCE
        told: dict[str, Any] = {}
        while time.monotonic() < end:
            for node in self.nodes:
                if node.running():
                    told = health(node) or told
            if told.get("number_of_nodes") == count and status in ("", told.get("status")):
                return told
            time.sleep(0.2)
        raise RuntimeError(f"no cluster of {count} nodes: {told} {[node.said() for node in self.nodes]}")


def health(node: Node) -> dict[str, Any] | None:
    """What a node says of its cluster; None when it does not answer."""
    try:
        with urllib.request.urlopen(f"{node.address}/_cluster/health?timeout=1s", timeout=5) as answer:
            told: dict[str, Any] = json.load(answer)
            return told
    except (urllib.error.URLError, OSError, ValueError):
        return None


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port
