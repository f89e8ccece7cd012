"""Which topics a mirror takes, on a real Kafka."""
from harness import eventually, keyed, mirror, unique


def test_a_topic_that_looks_like_the_target_s_own_is_left_out_with_a_warning(cluster_of, kafka):
    """A name that begins with the target's alias looks as if it came from there. And what is the clusters' own is never mirrored, whichever
    separator names it."""
    c = cluster_of()
    w = c.started()
    alias, name = unique("orders").replace("-", ""), unique("cycle")
    taken = [alias, f"{alias}x.v1"]
    left = [f"{alias}.v1", f"x.{alias}.v1"]
    own = [f"__{alias}", f"mm2-offset-syncs.{alias}.internal", f"{alias}q.checkpoints.internal"]
    for topic in [*taken, *left, *own]:
        kafka.create_topic(topic)
        kafka.produce(topic, keyed(0, 3, 1))
    w.create(name, mirror(kafka, f"{alias}.*,x[.]{alias}.*,__{alias},mm2-offset-syncs[.]{alias}.*", target__cluster__alias=alias))
    w.running(name)
    eventually(lambda: all(kafka.count(f"src.{t}") == 3 for t in taken), 60, "the others are mirrored")
    eventually(lambda: all(any(" W " in line and f"'{t}'" in line for line in w.log().splitlines()) for t in left), 30, "a warning names each")
    assert not {f"src.{t}" for t in [*left, *own]} & set(kafka.topics())
    for t in left:
        assert len([line for line in w.log().splitlines() if " W " in line and f"'{t}'" in line]) == 1, "it is said once"
