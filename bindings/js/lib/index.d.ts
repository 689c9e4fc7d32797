// index.d.ts - the types of the package. SPDX-License-Identifier: MIT

/** A value that may have to be waited for. */
export type Awaitable<T> = T | PromiseLike<T>;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What an adapter is told about a replica. It may keep notes of its own in it. */
export interface ReplicaInfo {
  readonly name: string;
  /** 0 for the first replica of the test, and so on. */
  readonly index: number;
  /** Notes that the adapters of one test share. */
  readonly shared: Map<unknown, unknown>;
  [note: string]: unknown;
}

/** The same, with the event that happens. */
export interface EventInfo extends ReplicaInfo {
  /** The name of the method or action. */
  readonly op: string;
  /** Of a request, the replica that it is for. */
  readonly to?: string;
  /** Of an execution or delivery, the replica that it comes from. */
  readonly from?: string;
}

export type Kind = 'update' | 'query' | 'sync' | undefined;

/** What has to be known about a library. */
export interface Adapter<Object = any, Message = any, Saved = any> {
  /** What a call, or a look at a property, is. 'sync' is one whose argument is another replica, as in
   *  b.merge(a); undefined is not recorded. */
  kindOf(target: any, name: string, info: ReplicaInfo): Kind;
  /** Makes a new replica one that does the same each time; may return another one instead. */
  open?(object: Object, info: ReplicaInfo): Object | void;
  /** The recording is over. */
  recorded?(object: Object, info: ReplicaInfo): void;
  /** Whether a value is a part of a replica, to be recorded like the replica itself. */
  isPart?(value: any): boolean;
  /** Of an argument that can be used only once, what makes it anew. */
  copy?(value: any): (() => unknown) | undefined;
  /** A message of what the replica knows. Nothing changes it afterwards. */
  request?(object: Object, info: EventInfo): Awaitable<Message>;
  /** Applies such a message. */
  execute?(object: Object, message: Message, info: EventInfo): Awaitable<unknown>;
  /** Begins to listen for an update; what it returns gives the message of that update. */
  collect?(object: Object, info: EventInfo): () => Message | null | undefined;
  /** Applies the message of one update; execute() if there is none. */
  deliver?(object: Object, message: Message, info: EventInfo): Awaitable<unknown>;
  /** A copy of the replica that is its equal in everything, between any two events. */
  save?(object: Object, info: ReplicaInfo): Awaitable<Saved>;
  /** A replica like the one that was saved; as often as wanted. */
  restore?(saved: Saved, info: ReplicaInfo): Awaitable<Object>;
  /** What a replica looks like, by which replicas are compared. */
  state?(object: Object, info: ReplicaInfo): Awaitable<unknown>;
  /** What of the value that an event returned is to be seen and compared. */
  result?(value: any, info: EventInfo): unknown;
  /** Waits until the replica has nothing more to do, after each event. */
  settle?(object: Object, info: ReplicaInfo): Awaitable<unknown>;
  /** Whether a method returns a promise; else it is so if it is an async function. */
  isAsync?(name: string, info: EventInfo): boolean;
}

export interface GenericOptions<Object = any> extends
  Omit<Partial<Adapter<Object>>, 'kindOf' | 'save'> {
  /** The methods (or properties that are set) that change a replica; all that are in no list. */
  updates?: readonly string[];
  /** Those that look at it. */
  queries?: readonly string[];
  /** Those that are given another replica and take over what it knows: b.merge(a). */
  syncs?: readonly string[];
  /** Those that are neither: not recorded. */
  paths?: readonly string[];
  /** 'copy': a replica is plain data and classes, and can be copied deeply. */
  save?: 'copy' | ((object: Object, info: ReplicaInfo) => Awaitable<any>);
}

/** The adapter for any object with methods. */
export function generic<Object = any>(options?: GenericOptions<Object>): Adapter<Object>;

/** An event of the recording; in assertions, as it went in the interleaving that was just run. */
export interface RecordedEvent {
  readonly number: number;
  /** What it returned, as JSON has it; {throws: message} if it threw. */
  readonly result: any;
  readonly isPerformed: boolean;
}

export interface Test {
  /** Names a replica; returns what to use instead of it from here on. */
  replica<Object extends object>(name: string, object: Object,
    adapter?: Adapter<any> | GenericOptions<any>): Object;
  /** The segment begins. A promise if some adapter saves with one. */
  start(): void | Promise<void>;
  end(): void;
  /** One event that does more than one call. */
  update<Object extends object, Values extends unknown[], Result>(replica: Object, name: string,
    action: (object: Object, ...values: Values) => Result, ...values: Values): Result;
  query<Object extends object, Values extends unknown[], Result>(replica: Object, name: string,
    action: (object: Object, ...values: Values) => Result, ...values: Values): Result;
  /** Two events: a message is made, and applied. In the set-up and in assertions it just happens. */
  sync(from: object, to: object): Awaitable<unknown>;
  /** The first half of sync(): the message is under way. */
  request(from: object, to: object): Awaitable<RecordedEvent>;
  /** The second half, for the same message as often as wanted. */
  execute(request: Awaitable<RecordedEvent>): Awaitable<unknown>;
  /** Applies the message of one update, the last one if none is given. */
  deliver(to: object, update?: RecordedEvent): Awaitable<unknown>;
  /** What is recorded inside is not held by the program order of its replica. */
  free<Result>(inside: () => Result): Result;
  /** The event that was recorded last. */
  last(): RecordedEvent;
  /** An assertion, run after each interleaving. */
  check(assertion: () => unknown): void;
  /** The library's own object behind a proxy, as it is now. */
  real<Object>(proxy: Object): Object;
}

export interface Finding {
  oracle: string;
  message: string;
  interleaving: number[];
  shrunk?: number[];
  trace?: string;
  [key: string]: unknown;
}

export interface Report {
  readonly name: string;
  readonly verdict: 'passed' | 'failed' | 'stopped';
  readonly passed: boolean;
  /** Why it was stopped. */
  readonly message?: string;
  readonly interleavings: number;
  readonly findings: Finding[];
  /** The events of the segment, a line each. */
  readonly events: string[];
  /** What Sennit said, if it was started from here. */
  readonly output: string;
  readonly summary: { [key: string]: unknown };
  /** Throws an error that tells the first finding, unless nothing was found. */
  assertPassed(): void;
  text(): string;
}

/** Options that are not named here are flags of `sennit events`: eventTimeout: 5 is --event-timeout 5. */
export interface Options {
  /** false: what was found is only in the report. */
  throws?: boolean;
  /** false: each interleaving is performed from the beginning of the segment. */
  share?: boolean;
  /** The command, if it is neither SENNIT_BIN nor in PATH. */
  sennit?: string;
  /** More arguments of the command. */
  args?: string[];
  /** 'inherit': what Sennit says goes to the terminal. */
  stdio?: 'inherit' | 'pipe';
  [flag: string]: unknown;
}

/** Runs a test once, and then the interleavings of its segment that Sennit asks for. */
export function explore(name: string, test: (t: Test) => unknown, options?: Options): Promise<Report>;
export function explore(name: string, options: Options, test: (t: Test) => unknown): Promise<Report>;
