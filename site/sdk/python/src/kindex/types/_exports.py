"""Exports: Everything in bulk, as files.

Made from the description of the interface, version 0.8.0; do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

from ._entities import EntityType, PricingModel


class ExportedEntity(TypedDict):
    """One entity as a row of a table."""

    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    name: str
    """The name as its makers write it."""
    provider: Optional[str]
    """Who makes or offers it."""
    description: str
    """What it is for and what sets it apart."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as text."""
    pricingModel: Optional[PricingModel]
    """How one comes to use it."""
    license: Optional[str]
    """A licence, as an SPDX expression where it has one."""
    url: Optional[str]
    """The address that people should visit."""
    tags: List[str]
    """Free keywords."""
    capabilities: List[str]
    """What it can do."""
    composite: Optional[float]
    """A score with one decimal; null where too little is known."""
    adoption: Optional[float]
    """A score with one decimal; null where too little is known."""
    quality: Optional[float]
    """A score with one decimal; null where too little is known."""
    freshness: Optional[float]
    """A score with one decimal; null where too little is known."""
    citations: Optional[float]
    """A score with one decimal; null where too little is known."""
    engagement: Optional[float]
    """A score with one decimal; null where too little is known."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""


class ExportedRank(TypedDict):
    """One rank as a row of a table."""

    rank: int
    """The rank, from 1."""
    type: EntityType
    """The kind of an entity. Together with the slug it is its address."""
    slug: str
    """Lower-case letters and digits, joined with hyphens."""
    name: str
    """The name as its makers write it."""
    provider: Optional[str]
    """Who makes or offers it."""
    category: str
    """Lower-case letters and digits, joined with hyphens."""
    composite: Optional[float]
    """A score with one decimal; null where too little is known."""
    adoption: Optional[float]
    """A score with one decimal; null where too little is known."""
    quality: Optional[float]
    """A score with one decimal; null where too little is known."""
    freshness: Optional[float]
    """A score with one decimal; null where too little is known."""
    citations: Optional[float]
    """A score with one decimal; null where too little is known."""
    engagement: Optional[float]
    """A score with one decimal; null where too little is known."""


class Manifest(TypedDict):
    """What a build is and what it holds."""

    formatVersion: int
    """The version of the format of the files."""
    id: str
    """The id of a build; the day its scores were computed for, and a hash."""
    builder: str
    """The version of the recipe that made the build."""
    title: str
    """What the index is called."""
    description: str
    """What the index is about."""
    url: Optional[str]
    """The public address of the service; null where the content names none."""
    repository: Optional[ManifestRepository]
    """Where the repository of the content is on the web, for links to a file, a commit or a
    pull request; null where the content names none.
    """
    commit: Optional[str]
    """The commit of the content; null where it is not under version control."""
    commitTime: Optional[str]
    """When that commit was made; null where there is none."""
    dirty: bool
    """Whether the content held changes that were not committed."""
    asOf: str
    """The time that the scores were computed for."""
    scoringVersion: str
    """The version of the scoring file."""
    counts: ManifestCounts
    """The numbers of the build."""
    license: Optional[str]
    """A licence, as an SPDX expression where it has one."""
    sources: List[ManifestSource]
    """The collections that facts were taken from."""
    index: ManifestIndex
    """What the search index was made from."""
    files: List[ManifestFile]
    """Every file of the build."""


class ManifestRepository(TypedDict):
    """Where the repository of the content is on the web, for links to a file, a commit or a
    pull request; null where the content names none.
    """

    url: str
    """The address of its page, without a slash or ``.git`` at the end."""
    branch: str
    """The branch that the content is edited on."""
    path: str
    """The folder of the content within it, with slashes; empty at its top, and where the
    content is not under version control.
    """


class ManifestCountsTypes(TypedDict):
    """How many lists show, by type."""

    model: int
    tool: int


class ManifestCounts(TypedDict):
    """The numbers of the build."""

    entities: int
    """How many lists show, which is all but the withdrawn."""
    withdrawn: int
    """How many are withdrawn."""
    ranked: int
    """How many have a composite score."""
    types: ManifestCountsTypes
    """How many lists show, by type."""
    categories: int
    """How many categories there are."""


class ManifestSource(TypedDict):
    """A collection that facts were taken from, and on what terms."""

    name: str
    """What it is called."""
    url: str
    """Where it is."""
    license: str
    """Its licence, an SPDX expression."""
    types: List[EntityType]
    """The types of entities that it has facts of."""
    changes: str
    """What was changed in what was taken."""


class ManifestIndex(TypedDict):
    """What the search index was made from."""

    mappingVersion: int
    """The version of how records are indexed."""
    documents: int
    """How many records are indexed, the withdrawn included."""
    sha256: str
    """A SHA-256, in hexadecimal."""


class _ManifestFileRequired(TypedDict):
    path: str
    """The path of the file within the build."""
    size: int
    """The size in bytes."""
    sha256: str
    """A SHA-256, in hexadecimal."""
    mediaType: str
    """The media type, of a compressed variant that of the file within."""
    url: str
    """The address where these bytes never change."""


class ManifestFile(_ManifestFileRequired, total=False):
    """One file of the build."""

    encoding: Literal["zstd", "br", "gzip"]
    """The content coding of a compressed variant; left out on all others."""
    license: str
    """An SPDX expression; left out where none is stated."""


_CroissantDatasetRequiredOdd = TypedDict(
    "_CroissantDatasetRequiredOdd",
    {
        "@context": 'Dict[str, Any]',
        "@type": 'Literal["sc:Dataset"]',
    },
)


class _CroissantDatasetRequired(TypedDict):
    conformsTo: Literal["http://mlcommons.org/croissant/1.1"]
    """The version of Croissant."""
    name: str
    """What the dataset is called."""
    description: str
    """What it holds."""
    url: str
    """The address of the service."""
    version: str
    """The version of the layout, with the id of the build behind it (Semantic Versioning
    2.0.0).
    """
    datePublished: str
    """A day, or an RFC 3339 time."""
    isLiveDataset: bool
    """Always true, because further builds follow."""
    distribution: List[CroissantFile]
    """The files of the build."""
    recordSet: List[CroissantRecords]
    """What the records in the files consist of."""


class CroissantDataset(_CroissantDatasetRequiredOdd, _CroissantDatasetRequired, total=False):
    """A dataset as MLCommons Croissant 1.1 describes it. Members that this does not name are
    those of Croissant and of schema.org.
    """

    license: List[Any]
    """Addresses of the licences, or the name of one that has no address; left out where none
    is stated.
    """
    citeAs: str
    """How to cite it."""
    keywords: List[str]
    """What it is about."""


_CroissantFileRequiredOdd = TypedDict(
    "_CroissantFileRequiredOdd",
    {
        "@type": 'Literal["cr:FileObject"]',
        "@id": 'str',
    },
)


class _CroissantFileRequired(TypedDict):
    name: str
    """The name of the file, without its folder."""
    contentUrl: str
    """The address where these bytes never change."""
    contentSize: str
    """The size in bytes."""
    encodingFormat: Any
    """The media type, or several names of it."""
    sha256: str
    """A SHA-256, in hexadecimal."""


class CroissantFile(_CroissantFileRequiredOdd, _CroissantFileRequired, total=False):
    """One file of the build."""

    description: str
    """What the file holds."""


_CroissantRecordsRequiredOdd = TypedDict(
    "_CroissantRecordsRequiredOdd",
    {
        "@type": 'Literal["cr:RecordSet"]',
        "@id": 'str',
    },
)


class _CroissantRecordsRequired(TypedDict):
    name: str
    """What the records are called."""
    field: List[CroissantField]
    """The fields of a record."""


class CroissantRecords(_CroissantRecordsRequiredOdd, _CroissantRecordsRequired, total=False):
    """What the records of a file, or of several forms of it, consist of."""

    description: str
    """What a record is."""


_CroissantFieldRequiredOdd = TypedDict(
    "_CroissantFieldRequiredOdd",
    {
        "@type": 'Literal["cr:Field"]',
        "@id": 'str',
    },
)


class _CroissantFieldRequired(TypedDict):
    name: str
    """What the field is called."""


class CroissantField(_CroissantFieldRequiredOdd, _CroissantFieldRequired, total=False):
    """One field of a record."""

    description: str
    """What the field holds."""
    dataType: Any
    """The type of the values, or several."""
    source: Dict[str, Any]
    """Where in which file the values are."""
