"""Exports: Bulk downloads as files.

Generated from version 0.15.0 of the API description; do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from ._entities import EntityType, PricingModel


class QualityGroup(TypedDict):
    """The listed entities of a type, or those in one of its categories."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    category: Optional[str]
    """The slug of a category; null for all entities of the type."""
    entities: int
    """The number of entities."""
    ranked: int
    """The number of entities with a composite score."""
    facts: List[FactShare]
    """Every fact that at least one entity of the type has; in the group of the type, the most
    frequent first.
    """
    figures: FigureDays
    """The days on which figures, benchmark results included, were read. Days are null if no
    figure has a date.
    """


class FactShare(TypedDict):
    """How many entities have a fact."""

    fact: str
    """The name of a signal or of another field of a record."""
    entities: int
    """The number of entities that have the fact."""


class FigureDays(TypedDict):
    """The days on which figures, benchmark results included, were read. Days are null if no
    figure has a date.
    """

    count: int
    """The number of figures."""
    dated: int
    """The number of figures with a date."""
    oldest: Optional[str]
    """The oldest day, as YYYY-MM-DD or YYYY-MM."""
    median: Optional[str]
    """The day by which half of the figures had been read."""
    newest: Optional[str]
    """The newest day."""
    oldestOf: Optional[str]
    """An entity with the oldest figure, as type/slug."""


class _QualitySourceRequired(TypedDict):
    name: str
    """The name of the source."""
    read: str
    """The day of its newest answer, or an empty string if it has never answered."""
    covers: int
    """The number of entities that it covers."""
    answers: int
    """The number of entities for which it has answered."""
    values: List[str]
    """The signals and fields that are read from it."""


class QualitySource(_QualitySourceRequired, total=False):
    """A source from which figures are collected."""

    lastFail: str
    """Why its last run ended early. Missing if it did not."""


class StoppedValue(TypedDict):
    """A value that a guard stopped because it looks wrong."""

    entity: str
    """The entity, as type/slug."""
    name: str
    """The signal or field."""
    source: str
    """The name of the source."""
    held: Optional[Union[float, str]]
    """The value that was kept; null if there was none."""
    found: Optional[Union[float, str]]
    """The value that was stopped."""
    reason: str
    """Why it was stopped."""


class OfferContradictions(TypedDict):
    """Offers with a higher limit than their model, or with a price at least ten times above or
    below the median of the model's offers.
    """

    count: int
    """The number of contradictions."""
    data: List[OfferContradiction]
    """The first 200 contradictions, by entity and offer."""


class OfferContradiction(TypedDict):
    """A value of an offer that does not agree with its model or the model's other offers.
    """

    entity: str
    """The model, as type/slug."""
    offer: str
    """The slug of the provider and the name of the model there."""
    field: Literal["context", "outputLimit", "input", "output"]
    """The value that does not agree."""
    value: float
    """What the offer says: tokens, or US dollars per million tokens."""
    expected: float
    """The limit of the model, or the median price of its offers."""


class Quality(TypedDict):
    """How complete, how old and how consistent the data of a build is."""

    groups: List[QualityGroup]
    """One group for each type, each followed by the groups of its categories."""
    sources: List[QualitySource]
    """The sources from which figures are collected automatically, by name."""
    stopped: List[StoppedValue]
    """The first 200 values that guards stopped, by entity."""
    stoppedCount: int
    """The number of values that guards stopped."""
    contradictions: OfferContradictions
    """Offers with a higher limit than their model, or with a price at least ten times above or
    below the median of the model's offers.
    """
    build: str
    """The id of a build: the day its scores were calculated for, and a hash."""


class ExportedEntity(TypedDict):
    """One entity as a row of a table."""

    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    name: str
    """The entity's name, as its makers spell it."""
    provider: Optional[str]
    """The maker or provider."""
    description: str
    """The purpose of the entity and what sets it apart."""
    category: str
    """Lower-case letters and digits, with words separated by hyphens."""
    version: Optional[str]
    """The latest stable version of the entity, as a string."""
    pricingModel: Optional[PricingModel]
    """The pricing model."""
    license: Optional[str]
    """A licence, as an SPDX expression if possible."""
    url: Optional[str]
    """The main web page."""
    tags: List[str]
    """Free-form keywords."""
    capabilities: List[str]
    """What the entity can do."""
    composite: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    adoption: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    quality: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    freshness: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    citations: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    engagement: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    addedDate: Optional[str]
    """A day, YYYY-MM-DD."""
    lastUpdated: Optional[str]
    """A day, YYYY-MM-DD."""


class ExportedSignal(TypedDict):
    """One signal as a row of a table."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    signal: str
    """The name of the signal."""
    value: Optional[float]
    """The value, if it is a number."""
    day: Optional[str]
    """The value, if it is a day, YYYY-MM-DD, or a month, YYYY-MM."""
    date: Optional[str]
    """A day, YYYY-MM-DD."""
    source: Optional[str]
    """Where it was read."""


class ExportedBenchmark(TypedDict):
    """One benchmark result as a row of a table."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    benchmark: str
    """The name of the benchmark."""
    value: float
    """The result, in the unit of the benchmark."""
    metric: Optional[str]
    """What was measured, such as pass@1."""
    harness: Optional[str]
    """The program that ran the model."""
    variant: Optional[str]
    """Such as the reasoning effort."""
    dataset: Optional[str]
    """The part of the benchmark."""
    version: Optional[str]
    """The version of the benchmark."""
    by: Optional[str]
    """Who ran it: maker, independent or community."""
    publisher: Optional[str]
    """Who published it."""
    date: Optional[str]
    """The day or month of the result."""
    source: Optional[str]
    """Where it was read."""


class ExportedOffer(TypedDict):
    """The prices of an offer, one of its tiers or one of its modes as a row of a table.
    """

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    provider: str
    """The slug of the provider."""
    id: str
    """The name of the model at the provider."""
    mode: Optional[str]
    """Such as batch; null for the standard mode."""
    over: Optional[int]
    """The row is valid for requests whose input is longer than this many tokens; null if it is
    not a tier.
    """
    input: Optional[float]
    """US dollars per million tokens."""
    output: Optional[float]
    """US dollars per million tokens."""
    cacheRead: Optional[float]
    """US dollars per million tokens."""
    cacheWrite: Optional[float]
    """US dollars per million tokens."""
    reasoningOutput: Optional[float]
    """US dollars per million tokens."""
    inputAudio: Optional[float]
    """US dollars per million tokens."""
    outputAudio: Optional[float]
    """US dollars per million tokens."""
    image: Optional[float]
    """US dollars per image."""
    request: Optional[float]
    """US dollars per request."""
    context: Optional[int]
    """How many tokens a request may contain."""
    outputLimit: Optional[int]
    """How many tokens an answer may contain."""
    free: bool
    """Whether prices of 0 are intended."""
    deprecated: bool
    """Whether the provider advises against it."""
    date: Optional[str]
    """A day, YYYY-MM-DD."""
    source: Optional[str]
    """Where it was read."""


class ExportedIdentifier(TypedDict):
    """One identifier as a row of a table."""

    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    namespace: str
    """Such as pypi."""
    id: str
    """The identifier in the namespace."""
    url: Optional[str]
    """Its page, if the namespace has such pages."""


class _ExportedRankRequired(TypedDict):
    rank: int
    """The rank, starting at 1."""
    type: EntityType
    """The type of an entity. Type and slug together identify an entity."""
    slug: str
    """Lower-case letters and digits, with words separated by hyphens."""
    name: str
    """The entity's name, as its makers spell it."""
    provider: Optional[str]
    """The maker or provider."""
    category: str
    """Lower-case letters and digits, with words separated by hyphens."""
    composite: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    adoption: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    quality: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    freshness: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    citations: Optional[float]
    """A score with one decimal; null if there is not enough data."""
    engagement: Optional[float]
    """A score with one decimal; null if there is not enough data."""


class ExportedRank(_ExportedRankRequired, total=False):
    """One rank as a row of a table."""

    boardScore: float
    """The score on the board; present only on a board."""


class Manifest(TypedDict):
    """Describes a build and its contents."""

    formatVersion: int
    """The version of the file format."""
    id: str
    """The id of a build: the day its scores were calculated for, and a hash."""
    builder: str
    """The version of the program logic that created the build."""
    title: str
    """The title of the index."""
    description: str
    """What the index is about."""
    url: Optional[str]
    """The public address of the service; null if the content does not set one."""
    repository: Optional[ManifestRepository]
    """The web address of the content repository, for links to a file, a commit or a pull
    request; null if the content does not set one.
    """
    commit: Optional[str]
    """The commit that the content was read from; null if the content is not under version
    control.
    """
    commitTime: Optional[str]
    """The time of that commit; null if the content is not under version control."""
    dirty: bool
    """Whether the content had uncommitted changes."""
    asOf: str
    """The time that the scores were calculated for."""
    scoringVersion: str
    """The scoring file's version."""
    counts: ManifestCounts
    """Statistics about the build."""
    license: Optional[str]
    """A licence, as an SPDX expression if possible."""
    sources: List[ManifestSource]
    """The collections that facts were taken from."""
    index: ManifestIndex
    """The data that the search index was built from."""
    signature: Optional[ManifestSignature]
    """The signature of the build; null if the build is not signed. It is not part of the
    build's ``manifest.json``. Check it with the publisher's verifier key, which you need
    from a source other than this service.
    """
    files: List[ManifestFile]
    """Every file of the build."""


class ManifestRepository(TypedDict):
    """The web address of the content repository, for links to a file, a commit or a pull
    request; null if the content does not set one.
    """

    url: str
    """The address of the repository's page, without a trailing slash or ``.git``."""
    branch: str
    """The branch where the content is edited."""
    path: str
    """The path of the content folder in the repository, with slashes as separators. It is
    empty if the content is in the repository's top-level folder or is not under version
    control.
    """


class ManifestCountsTypes(TypedDict):
    """The number of entities of each type, excluding withdrawn ones."""

    model: int
    tool: int


class ManifestCounts(TypedDict):
    """Statistics about the build."""

    entities: int
    """The number of entities, excluding withdrawn ones."""
    withdrawn: int
    """The number of withdrawn entities."""
    ranked: int
    """The number of entities with a composite score."""
    types: ManifestCountsTypes
    """The number of entities of each type, excluding withdrawn ones."""
    categories: int
    """The number of categories."""


class ManifestSource(TypedDict):
    """A collection that facts were taken from, and its licence."""

    name: str
    """The collection's name."""
    url: str
    """The collection's address."""
    license: str
    """The collection's licence, as an SPDX expression."""
    types: List[EntityType]
    """The types of entities that it contains facts about."""
    changes: str
    """How the facts taken from it were modified."""


class ManifestIndex(TypedDict):
    """The data that the search index was built from."""

    mappingVersion: int
    """The version of the index mapping."""
    documents: int
    """The number of indexed records, including withdrawn entities."""
    sha256: str
    """A SHA-256, in hexadecimal."""


class ManifestSignature(TypedDict):
    """The signature of the build; null if the build is not signed. It is not part of the
    build's ``manifest.json``. Check it with the publisher's verifier key, which you need
    from a source other than this service.
    """

    key: str
    """The name and the hash of the key, as in a verifier key."""
    verified: bool
    """Whether the signature was verified by this service with a key that its operator
    configured. If it is false, anyone could have written the statement.
    """
    counter: int
    """The number of the build among those that were signed with the key. A larger number is
    newer.
    """
    statement: str
    """The signed statement, a signed note (https://c2sp.org/signed-note): the build, the
    SHA-256 of the list of its files, the commit, the as-of time and the counter.
    """


class _ManifestFileRequired(TypedDict):
    path: str
    """The path of the file within the build."""
    size: int
    """The size in bytes."""
    sha256: str
    """A SHA-256, in hexadecimal."""
    mediaType: str
    """The media type; for a compressed variant, the media type of its content."""
    url: str
    """The file's immutable URL, whose content never changes."""


class ManifestFile(_ManifestFileRequired, total=False):
    """One file of the build."""

    encoding: Literal["gzip"]
    """The content coding of a compressed variant; absent for other files."""
    license: str
    """An SPDX expression; absent if none is stated."""


_CroissantDatasetSubjectOfRequiredOdd = TypedDict(
    "_CroissantDatasetSubjectOfRequiredOdd",
    {
        "@type": 'Literal["sc:DigitalDocument"]',
    },
)


class _CroissantDatasetSubjectOfRequired(TypedDict):
    name: str
    """The name of the document."""
    description: str
    """The key, and whether the signature was verified."""
    identifier: str
    """The name and the hash of the key."""
    conformsTo: str
    """The format of the text."""
    encodingFormat: str
    """The media type of the text."""
    text: str
    """The signed note."""


class CroissantDatasetSubjectOf(_CroissantDatasetSubjectOfRequiredOdd, _CroissantDatasetSubjectOfRequired, total=False):
    """The signed statement about the build, as in the manifest; absent if the build is not
    signed. ``description`` says whether it was verified by this service.
    """


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
    """The dataset's name."""
    description: str
    """What the dataset contains."""
    url: str
    """The service's address."""
    version: str
    """The version of the format, followed by the id of the build (Semantic Versioning 2.0.0).
    """
    datePublished: str
    """A day, or an RFC 3339 time."""
    isLiveDataset: bool
    """Always true, because there will be more builds."""
    distribution: List[CroissantFile]
    """The build's files."""
    recordSet: List[CroissantRecords]
    """The structure of the records in the files."""


class CroissantDataset(_CroissantDatasetRequiredOdd, _CroissantDatasetRequired, total=False):
    """A dataset described according to MLCommons Croissant 1.1. Members without a description
    are defined by Croissant and schema.org.
    """

    license: List[Any]
    """The licences. Each is given by its address or, if it has none, by its name. Absent if no
    licence is stated.
    """
    citeAs: str
    """How to cite the dataset."""
    subjectOf: CroissantDatasetSubjectOf
    """The signed statement about the build, as in the manifest; absent if the build is not
    signed. ``description`` says whether it was verified by this service.
    """
    keywords: List[str]
    """What the dataset is about."""


_CroissantFileRequiredOdd = TypedDict(
    "_CroissantFileRequiredOdd",
    {
        "@type": 'Literal["cr:FileObject"]',
        "@id": 'str',
    },
)


class _CroissantFileRequired(TypedDict):
    name: str
    """The file's name, without its folder."""
    contentUrl: str
    """The file's immutable URL, whose content never changes."""
    contentSize: str
    """The size in bytes."""
    encodingFormat: Any
    """The media type, or a list of alternative names for it."""
    sha256: str
    """A SHA-256, in hexadecimal."""


class CroissantFile(_CroissantFileRequiredOdd, _CroissantFileRequired, total=False):
    """One file of the build."""

    description: str
    """What the file contains."""


_CroissantRecordsRequiredOdd = TypedDict(
    "_CroissantRecordsRequiredOdd",
    {
        "@type": 'Literal["cr:RecordSet"]',
        "@id": 'str',
    },
)


class _CroissantRecordsRequired(TypedDict):
    name: str
    """The name of the records."""
    field: List[CroissantField]
    """A record's fields."""


class CroissantRecords(_CroissantRecordsRequiredOdd, _CroissantRecordsRequired, total=False):
    """The structure of the records in a file, or in several formats of the same file."""

    description: str
    """What each record represents."""


_CroissantFieldRequiredOdd = TypedDict(
    "_CroissantFieldRequiredOdd",
    {
        "@type": 'Literal["cr:Field"]',
        "@id": 'str',
    },
)


class _CroissantFieldRequired(TypedDict):
    name: str
    """The field's name."""


class CroissantField(_CroissantFieldRequiredOdd, _CroissantFieldRequired, total=False):
    """One field of a record."""

    description: str
    """What the field contains."""
    dataType: Any
    """The type of the values, or a list of types."""
    source: Dict[str, Any]
    """The file that contains the values, and where they are in the file."""
