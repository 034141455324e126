import type { Name } from './names.js';
import type { components, operations } from './schema.js';

type Schemas = components['schemas'];

// The records and responses of the API, named as in its description.

/** One tool or model. Every member is always present; unknown values are null. */
export type Entity = Schemas['Entity'];
/** A single entity, and the build that it is from. */
export type EntityDocument = Schemas['EntityDocument'];
/** The type of an entity: `model` or `tool`. */
export type EntityType = Schemas['EntityType'];
/** `active`, `deprecated` or `withdrawn`. */
export type Status = Schemas['Status'];
/** The scores, from 0 to 100 with one decimal; null if there is not enough data. */
export type Scores = Schemas['Scores'];
/** The facts that scores are calculated from, each with its date and source. */
export type Signals = Schemas['Signals'];
/** A matching entity, with its relevance and highlights. */
export type SearchHit = Schemas['SearchHit'];
/** The address and name of a suggested entity. */
export type Suggestion = Schemas['Suggestion'];
/** An entity and its rank. */
export type RankedEntity = Schemas['RankedEntity'];
/** An entity and how its score and rank changed. */
export type TrendingEntity = Schemas['TrendingEntity'];
/** An entity and its similarity to the requested one. */
export type SimilarEntity = Schemas['SimilarEntity'];
/** How the scores of an entity are calculated. */
export type ScoreExplanation = Schemas['ScoreExplanation'];
/** A category and its number of entities. */
export type Category = Schemas['Category'];
/** The creation, update or deletion of one entity at one point in time. */
export type Change = Schemas['Change'];
/** A changed field, with its old and new values. */
export type FieldChange = Schemas['FieldChange'];
/** A JSON Feed 1.1 document. */
export type JsonFeed = Schemas['JSONFeed'];
/** One entity as a row of a table. */
export type ExportedEntity = Schemas['ExportedEntity'];
/** One signal as a row of a table. */
export type ExportedSignal = Schemas['ExportedSignal'];
/** One benchmark result as a row of a table. */
export type ExportedBenchmark = Schemas['ExportedBenchmark'];
/** The prices of an offer, one of its tiers or one of its modes as a row of a table. */
export type ExportedOffer = Schemas['ExportedOffer'];
/** One identifier as a row of a table. */
export type ExportedIdentifier = Schemas['ExportedIdentifier'];
/** One rank as a row of a table. */
export type ExportedRank = Schemas['ExportedRank'];
/** A description of a build and its contents. */
export type Manifest = Schemas['Manifest'];
/** A file of a build. */
export type ManifestFile = Schemas['ManifestFile'];
/** An API key, masked. */
export type ApiKey = Schemas['ApiKey'];
/** A new API key; only this response has the key itself. */
export type CreatedApiKey = Schemas['CreatedApiKey'];
/** The fields of a proposed entity. */
export type NewSubmission = Schemas['NewSubmission'];
/** The fields of an existing entity that change; null removes a field. */
export type Correction = Schemas['Correction'];
/** A new submission, and existing entities that could be the same. */
export type CreatedSubmission = Schemas['CreatedSubmission'];
/** A submission and its status. */
export type Submission = Schemas['Submission'];
/** A submission with its fields. */
export type SubmissionDocument = Schemas['SubmissionDocument'];
/** A webhook and its delivery state. */
export type Webhook = Schemas['Webhook'];
/** A new webhook; only this response has its secret. */
export type CreatedWebhook = Schemas['CreatedWebhook'];
/** An event and the attempts to deliver it. */
export type Delivery = Schemas['Delivery'];
/** An event that is sent to a webhook. In a test, named `webhook.test`, `entity` is null. */
export type WebhookEvent = Schemas['WebhookEvent'];
/** An error from the server (RFC 9457). */
export type Problem = Schemas['Problem'];
/** A machine-readable error code; more codes may be added. */
export type ErrorCode = Problem['code'] | (string & Record<never, never>);
/** An error in one parameter or one field of a body. */
export type FieldError = Schemas['FieldError'];

/** The name of an operation of the API, and of its method. */
export type OperationId = keyof operations;

/**
 * The query parameters of an operation, by name. A parameter that accepts several values
 * also accepts a single value without an array, and one with a list of values also a {@link Name}.
 */
export type Query<Id extends OperationId> = [Raw<Id>] extends [never] ? Record<string, never> : Loose<Raw<Id>> & Extra;

/** The parameters that this version of the library does not know. */
export interface Extra {
  /** More parameters by their names in the API, such as a filter by a field that the index declares. */
  extra?: Readonly<Record<string, unknown>> | undefined;
}

type Raw<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>;

type Loose<Q> = {
  [Parameter in keyof Q]: NonNullable<Q[Parameter]> extends readonly (infer Value)[] ? Open<Value> | readonly Open<Value>[] : Open<Q[Parameter]>;
};

/** The values of a parameter: true and false in place of their names, and names that are not known. */
type Open<Value> = Value | (Value extends 'true' | 'false' ? boolean : Value extends string ? (string extends Value ? never : Name) : never);

/** The parameter `fields`, which determines the type of the records. */
export type Fields<Q, F> = Omit<Q, 'fields'> & { fields?: F | Name | readonly (F | Name)[] };

/** The JSON response of an operation. */
export type Answer<Id extends OperationId> = Json<operations[Id]['responses'], 200 | 201 | 202>;

type Json<Responses, Status> = {
  [S in keyof Responses & Status]: Responses[S] extends { content: { 'application/json': infer Body } } ? Body : never;
}[keyof Responses & Status];

/** A page of a collection. */
export interface Page<Item> {
  data: Item[];
  /** The number of records on all pages. */
  count: number;
  /** The `cursor` of the next page; null on the last page. */
  nextCursor: string | null;
}

/** The operations that return pages. */
export type Listed = {
  [Id in OperationId]: 'cursor' | 'limit' extends keyof Raw<Id>
    ? Answer<Id> extends Page<unknown> ? Id : never
    : never;
}[OperationId];

type Element<T> = NonNullable<T> extends readonly (infer E)[] ? E : never;

/** A member of an entity that `fields` can select; the name of a score selects only that score. */
export type EntityField = Element<Raw<'listEntities'>['fields']>;

/** The members of an entity that `fields` selects. If the names are not known at compile time, all are optional. */
export type Narrowed<F extends EntityField> = EntityField extends F
  ? Schemas['NarrowedEntity']
  : Pick<Entity, F & keyof Entity> & NarrowedScores<F>;

type NarrowedScores<F> = 'scores' extends F ? unknown
  : [F & keyof Scores] extends [never] ? unknown
  : { scores: Pick<Scores, F & keyof Scores> };

/** A page of entities, with all members or only selected ones. */
export type EntityPage<F extends EntityField = never> = Omit<Answer<'listEntities'>, 'data'> & {
  data: ([F] extends [never] ? Entity : Narrowed<F>)[];
};

/** A page of search results, with all members or only selected ones. */
export type SearchPage<F extends EntityField = never> = Omit<Answer<'searchEntities'>, 'data'> & {
  data: ([F] extends [never] ? SearchHit : Narrowed<F> & Pick<SearchHit, 'relevance' | 'highlights'>)[];
};

/** A column of the entity export. */
export type ExportField = Element<Raw<'exportEntities'>['fields']>;

type FullRow = Required<Schemas['NarrowedExportedEntity']>;

/** A row of the entity export, with the twenty columns, all columns or only selected ones. */
export type ExportRow<F extends ExportField = never> = [F] extends [never] ? ExportedEntity
  : ExportField extends F ? Schemas['NarrowedExportedEntity']
  : 'all' extends F ? FullRow
  : Pick<FullRow, F & keyof FullRow>;
