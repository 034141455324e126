"""The values of parameters.

Generated from version 0.9.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import Literal

Dimension = Literal["composite", "adoption", "quality", "freshness", "citations", "engagement"]

EntityField = Literal[
    "type",
    "slug",
    "name",
    "provider",
    "description",
    "category",
    "version",
    "pricingModel",
    "license",
    "url",
    "tags",
    "capabilities",
    "scores",
    "addedDate",
    "lastUpdated",
    "status",
    "links",
    "signals",
    "ids",
    "family",
    "openWeights",
    "modalities",
    "knowledge",
    "parameters",
    "reasoning",
    "reasoningEfforts",
    "lifecycle",
    "maintenance",
    "maintenanceAsOf",
    "price",
    "offerCount",
    "offers",
    "composite",
    "adoption",
    "quality",
    "freshness",
    "citations",
    "engagement",
]

ExportField = Literal[
    "slug",
    "type",
    "name",
    "provider",
    "description",
    "category",
    "version",
    "pricingModel",
    "license",
    "url",
    "tags",
    "capabilities",
    "composite",
    "adoption",
    "quality",
    "freshness",
    "citations",
    "engagement",
    "addedDate",
    "lastUpdated",
]

FacetField = Literal["capability", "category", "license", "pricingModel", "provider", "status", "tag", "type"]

SortField = Literal[
    "composite",
    "adoption",
    "quality",
    "freshness",
    "citations",
    "engagement",
    "name",
    "addedDate",
    "lastUpdated",
]
