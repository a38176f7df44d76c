"""Configs as JSON Schema, from which the reference of keys and the page's form are made.

Reasons: docs/design/page.md.
"""

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from evoply.configs.meanings import meaning

Schema = dict[str, Any]


def config_schema(model: type[BaseModel]) -> Schema:
    """Return the JSON Schema of the config *model*, in which every key says what it is for.

    Keys and tables come in the order in which the model has them.

    >>> from evoply.evolution import EvolutionConfig
    >>> config_schema(EvolutionConfig)["properties"]["elitism"]["minimum"]
    0
    """
    return model.model_json_schema(schema_generator=_WithMeanings)


class _WithMeanings(GenerateJsonSchema):
    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        json_schema = super().model_schema(schema)
        for name, field in json_schema.get("properties", {}).items():
            if text := meaning(schema["cls"], name):
                field["description"] = " ".join(text.split())
        return json_schema

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        return value
