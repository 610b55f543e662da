"""The served description against the server: schemathesis asks what it allows, and what not.

The description cannot say that there is one label for each point: what fits it may still be refused
with a sentence (422). All else must hold: the status, the type and the form of every answer, a
refusal for all that does not fit, and never a fault of the server.
"""

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from linscope.web.hosts.server import application
from tests.web.pages import Here

schema = schemathesis.openapi.from_asgi(
    "/openapi.json", application(crew=Here()), headers={"Host": "localhost"}
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@schema.parametrize()
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_answers_are_as_described(case):
    case.call_and_validate(
        headers={"Host": "localhost"}, excluded_checks=[positive_data_acceptance]
    )
