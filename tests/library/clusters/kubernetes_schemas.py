"""What a manifest for Kubernetes may hold: JSON schemas of the documented fields that we use.

They follow the custom resource definitions of Kubeflow's training operator (TFJob, v1) and of the
Dask operator (DaskCluster, v1). A field that is not listed is an error here: a slip of the keyboard
would otherwise be dropped in silence by Kubernetes.
"""

from typing import Any


def _object(required: str = "", **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any], least: int = 1) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


def _one_of(*values: Any) -> dict[str, Any]:
    return {"enum": list(values)}


_TEXT = {"type": "string", "minLength": 1}
_COUNT = {"type": "integer", "minimum": 1}
_PORT = {"type": "integer", "minimum": 1, "maximum": 65535}
_NAME = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"}
_PORT_NAME = {"type": "string", "pattern": "^(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$"}
_QUANTITY = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$"}
_QUANTITIES = {"type": "object", "additionalProperties": _QUANTITY}
_METADATA = _object("name", name=_NAME, namespace=_NAME)

_SECRET = _object("secretKeyRef", secretKeyRef=_object("name key", name=_NAME, key=_TEXT))
_CONTAINER = _object(
    "name image",
    name=_NAME,
    image=_TEXT,
    imagePullPolicy=_one_of("Always", "IfNotPresent", "Never"),
    workingDir={"type": "string", "pattern": "^/"},
    command=_list(_TEXT),
    args=_list(_TEXT),
    ports=_list(
        _object(
            "containerPort",
            name=_PORT_NAME,
            containerPort=_PORT,
            protocol=_one_of("TCP", "UDP"),
        )
    ),
    env=_list(_object("name", name=_TEXT, value={"type": "string"}, valueFrom=_SECRET)),
    resources=_object(requests=_QUANTITIES, limits=_QUANTITIES),
    readinessProbe=_object(
        httpGet=_object("port", port={"anyOf": [_PORT, _PORT_NAME]}, path=_TEXT),
        initialDelaySeconds=_COUNT,
        periodSeconds=_COUNT,
    ),
)
_POD = _object("containers", containers=_list(_CONTAINER))

_REPLICAS = _object(
    "template",
    replicas=_COUNT,
    restartPolicy=_one_of("Always", "OnFailure", "Never", "ExitCode"),
    template=_object("spec", spec=_POD),
)
TFJOB = _object(
    "apiVersion kind metadata spec",
    apiVersion={"const": "kubeflow.org/v1"},
    kind={"const": "TFJob"},
    metadata=_METADATA,
    spec=_object(
        "tfReplicaSpecs",
        runPolicy=_object(cleanPodPolicy=_one_of("All", "Running", "None")),
        tfReplicaSpecs=_object(Chief=_REPLICAS, PS=_REPLICAS, Worker=_REPLICAS),
    ),
)

_SERVICE = _object(
    "ports selector",
    type=_one_of("ClusterIP", "NodePort", "LoadBalancer"),
    selector={"type": "object", "additionalProperties": _TEXT},
    ports=_list(
        _object(
            "port",
            name=_PORT_NAME,
            protocol=_one_of("TCP", "UDP"),
            port=_PORT,
            targetPort={"anyOf": [_PORT, _PORT_NAME]},
        )
    ),
)
DASK_CLUSTER = _object(
    "apiVersion kind metadata spec",
    apiVersion={"const": "kubernetes.dask.org/v1"},
    kind={"const": "DaskCluster"},
    metadata=_METADATA,
    spec=_object(
        "worker scheduler",
        worker=_object("spec", replicas=_COUNT, spec=_POD),
        scheduler=_object("spec service", spec=_POD, service=_SERVICE),
    ),
)
