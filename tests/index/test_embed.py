"""The embedder: vectors that mean something, whatever the text; the same from both backends."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pastwork.errors import ModelMissing
from pastwork.index.embed import BATCH, PIECES, Embedder, OnnxEmbedder, TorchEmbedder, clean, threads

TEXTS = [
    "The connection pool timed out because every retry opened a new session.",
    "connection pool timeout",
    "How do I bake bread?",
    "def parse(line: str) -> Record | None:",
    "émigré naïve 連接池 🎉",
    "word " * 700,
    "x",
]


@pytest.fixture(scope="module")
def embedder(model_folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(model_folder)


@pytest.mark.model
def test_vectors_are_of_unit_length_and_near_for_near_meanings(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.6 > 0.3 > vectors[1] @ vectors[2]


@pytest.mark.model
def test_a_text_has_the_same_vector_whoever_its_neighbours_are(embedder: OnnxEmbedder) -> None:
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    together = embedder.embed(TEXTS * 3)
    assert len(TEXTS) * 3 > 2 * BATCH
    assert np.abs(together - np.concatenate([alone] * 3)).max() < 2e-6


@pytest.mark.model
def test_the_model_reads_256_word_pieces(embedder: OnnxEmbedder) -> None:
    inside, beyond = ["word " * (PIECES - 10) + "zebra", "word " * (PIECES + 10) + "zebra"], ["word " * 600] * 2
    a, b = embedder.embed(inside), embedder.embed(beyond)
    assert a[0] @ b[0] < 0.9999
    assert a[1] @ b[1] == pytest.approx(1, abs=1e-6)


@pytest.mark.model
@pytest.mark.parametrize("text", ["", " \n", "\ud800", "\x00", "🎉" * 10_000, "a" * 1_000_000])
def test_any_text_has_a_vector(embedder: OnnxEmbedder, text: str) -> None:
    vector = embedder.embed([text])
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.model
def test_a_released_model_comes_back(model_folder: Path) -> None:
    embedder = OnnxEmbedder(model_folder, spare=1)
    before = embedder.embed(["again"])
    embedder.release()
    assert embedder.embed(["again"]) == pytest.approx(before, abs=1e-6)
    assert embedder.embed([]).shape == (0, 384)


def test_no_model_is_told_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        OnnxEmbedder(tmp_path).embed(["text"])
    assert "model install" in caught.value.remedy


def test_one_core_is_left_free_when_asked() -> None:
    assert threads(0) >= 1
    assert threads(1) == max(1, threads(0) - 1)
    assert threads(10_000) == 1


def test_clean_text_is_never_empty_and_never_endless() -> None:
    assert clean("") == " "
    assert clean("\ud800") == "?"
    assert len(clean("x" * 10**6)) < 20_000


@pytest.mark.torch
def test_both_backends_give_the_same_vectors(embedder: OnnxEmbedder, model_folder: Path) -> None:
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip(
            "PARITY NOT TESTED: sentence-transformers is not installed; pip install torch==2.13.0, then pastwork[torch]"
        )
    torch: Embedder = TorchEmbedder(str(model_folder))
    cosines = (embedder.embed(TEXTS) * torch.embed(TEXTS)).sum(axis=1)
    assert cosines.min() >= 0.9999


def test_the_torch_backend_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(ModelMissing) as caught:
        TorchEmbedder("any").embed(["text"])
    assert "pastwork[torch]" in caught.value.remedy


@pytest.mark.model
def test_the_shipped_graph_is_what_the_script_writes(model_folder: Path) -> None:
    from importlib.resources import files

    onnx = pytest.importorskip("onnx")
    from pastwork.index.build_graph import build

    shipped = onnx.load_from_string(files("pastwork.index").joinpath("minilm.onnx").read_bytes())
    built = onnx.load_from_string(build(model_folder / "model.safetensors"))
    assert built.graph == shipped.graph
    assert built.opset_import == shipped.opset_import


@pytest.mark.model
def test_the_runtime_reports_to_nobody(model_folder: Path, tmp_path: Path) -> None:
    """Official builds of onnxruntime keep a device id and a queue of reports in the home folder, to be sent later."""
    script = (
        "import sys; from pathlib import Path; from pastwork.index.embed import OnnxEmbedder\n"
        "OnnxEmbedder(Path(sys.argv[1])).embed(['a text'])"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    variables = {"HOME": str(tmp_path), "PYTHONPATH": paths, "PATH": os.environ.get("PATH", "")}
    subprocess.run([sys.executable, "-B", "-c", script, str(model_folder)], env=variables, check=True, timeout=60)
    assert list(tmp_path.rglob("*")) == []
