/* A PKCS#11 module that passes everything on to SoftHSM, and fails on command.
 *
 * The file named by PAYMENTS_HSM_FAULTS holds lines "NAME VALUE COUNT": the
 * next COUNT times, the place NAME does what VALUE says.
 *   initialize, open_session, login, sign   return the code VALUE
 *   close_all     all sessions are closed before a signature is made
 *   garble        the signature is changed
 *   sleep         a signature takes VALUE milliseconds longer
 *   hides         a private key does not show its public exponent
 *   sign_init_M, sign_M, garble_M
 *                 as above, for the mechanism M only, in hexadecimal
 *   sign_later, garble_later
 *                 as above, after the first signature of the process
 *   conceals_A    an object does not show its attribute A
 *   flags_M       VALUE is taken from the flags of the mechanism M
 *   unlisted      the mechanism VALUE is not in the list of the token's
 *   padded        VALUE fills the rest of the token's label
 *   token_flags   VALUE is added to the flags of the token
 *   last_try      a login waits until another thread has read the flags of the
 *                 token, refuses the PIN, and leaves one attempt
 * Events are written to the file of that name with ".log" behind it, and the
 * signed bytes, in hexadecimal, to that with ".signed".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long ulong_t;

/* CK_FUNCTION_LIST: a version, and functions in the order of the standard. */
enum { INITIALIZE = 0, GET_FUNCTION_LIST = 3, GET_TOKEN_INFO = 6, GET_MECHANISM_LIST = 7,
       GET_MECHANISM_INFO = 8, OPEN_SESSION = 12,
       CLOSE_SESSION = 13, CLOSE_ALL_SESSIONS = 14, LOGIN = 18, GET_ATTRIBUTE_VALUE = 24,
       SIGN_INIT = 42, SIGN = 43, FUNCTIONS = 68 };
struct list {
    unsigned char version[2];
    void *functions[FUNCTIONS];
};

struct attribute {
    ulong_t type;
    void *value;
    ulong_t length;
};

static struct list ours;
static struct list *theirs;
static ulong_t last_slot;
static atomic_ulong flags_read, lasting_flags;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void note(const char *what)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.log", getenv("PAYMENTS_HSM_FAULTS"));
    FILE *file = fopen(path, "a");
    if (file) {
        fprintf(file, "%s %d\n", what, (int)getpid());
        fclose(file);
    }
}

/* The value of the fault NAME, or 0; takes one from its count. */
static ulong_t fault(const char *name)
{
    char names[16][32];
    ulong_t values[16], value = 0;
    unsigned counts[16], entries = 0;
    const char *path = getenv("PAYMENTS_HSM_FAULTS");
    pthread_mutex_lock(&mutex);
    FILE *file = fopen(path, "r");
    if (file) {
        while (entries < 16
               && fscanf(file, "%31s %lx %u", names[entries], &values[entries], &counts[entries]) == 3) {
            if (value == 0 && counts[entries] > 0 && strcmp(names[entries], name) == 0) {
                counts[entries]--;
                value = values[entries];
            }
            entries++;
        }
        fclose(file);
        if (value && (file = fopen(path, "w"))) {
            for (unsigned i = 0; i < entries; i++)
                fprintf(file, "%s %lx %u\n", names[i], values[i], counts[i]);
            fclose(file);
        }
    }
    pthread_mutex_unlock(&mutex);
    return value;
}

/* As fault, for a place and a mechanism. */
static ulong_t fault_of(const char *name, ulong_t mechanism)
{
    char full[32];
    snprintf(full, sizeof full, "%s_%lx", name, mechanism);
    return fault(full);
}

static ulong_t initialize(void *arguments)
{
    note("initialize");
    ulong_t code = fault("initialize");
    return code ? code : ((ulong_t(*)(void *))theirs->functions[INITIALIZE])(arguments);
}

static ulong_t get_token_info(ulong_t slot, unsigned char *info)
{
    ulong_t code = ((ulong_t(*)(ulong_t, void *))theirs->functions[GET_TOKEN_INFO])(slot, info);
    ulong_t flags;
    memcpy(&flags, info + 96, sizeof flags);
    flags |= fault("token_flags") | lasting_flags;
    memcpy(info + 96, &flags, sizeof flags);
    flags_read++;
    ulong_t padding = fault("padded");
    for (int i = 31; padding && i >= 0 && info[i] == ' '; i--)
        info[i] = (unsigned char)(padding & 0x7f); /* 0x80 is NUL */
    return code;
}

static ulong_t get_mechanism_list(ulong_t slot, ulong_t *list, ulong_t *count)
{
    ulong_t code = ((ulong_t(*)(ulong_t, ulong_t *, ulong_t *))
                        theirs->functions[GET_MECHANISM_LIST])(slot, list, count);
    ulong_t unlisted = list ? fault("unlisted") : 0;
    for (ulong_t i = 0; unlisted && i < *count; i++)
        if (list[i] == unlisted)
            list[i] = 0x1082; /* CKM_AES_CBC */
    return code;
}

static ulong_t get_mechanism_info(ulong_t slot, ulong_t mechanism, ulong_t *info)
{
    ulong_t code = ((ulong_t(*)(ulong_t, ulong_t, ulong_t *))
                        theirs->functions[GET_MECHANISM_INFO])(slot, mechanism, info);
    info[2] &= ~fault_of("flags", mechanism);
    return code;
}

static ulong_t open_session(ulong_t slot, ulong_t flags, void *a, void *b, ulong_t *session)
{
    ulong_t code = fault("open_session");
    last_slot = slot;
    note("open_session");
    return code ? code
                : ((ulong_t(*)(ulong_t, ulong_t, void *, void *, ulong_t *))
                       theirs->functions[OPEN_SESSION])(slot, flags, a, b, session);
}

static ulong_t close_session(ulong_t session)
{
    note("close_session");
    return ((ulong_t(*)(ulong_t))theirs->functions[CLOSE_SESSION])(session);
}

static ulong_t login(ulong_t session, ulong_t user, void *pin, ulong_t length)
{
    ulong_t code = fault("login"), read_before = flags_read;
    note("login");
    if (fault("last_try")) {
        for (int i = 0; i < 3000 && flags_read == read_before; i++)
            usleep(10000);
        lasting_flags = 0x20000; /* CKF_USER_PIN_FINAL_TRY */
        code = 0xa0;             /* CKR_PIN_INCORRECT */
    }
    return code ? code
                : ((ulong_t(*)(ulong_t, ulong_t, void *, ulong_t))theirs->functions[LOGIN])(
                      session, user, pin, length);
}

static ulong_t get_attribute_value(ulong_t session, ulong_t object, struct attribute *wanted,
                                   ulong_t count)
{
    enum { CLASS = 0, PUBLIC_EXPONENT = 0x122, PRIVATE_KEY = 3, TYPE_INVALID = 0x12 };
    ulong_t (*get)(ulong_t, ulong_t, struct attribute *, ulong_t) =
        (ulong_t(*)(ulong_t, ulong_t, struct attribute *, ulong_t))
            theirs->functions[GET_ATTRIBUTE_VALUE];
    ulong_t code = get(session, object, wanted, count), class = 0;
    struct attribute of_class = {CLASS, &class, sizeof class};
    get(session, object, &of_class, 1);
    for (ulong_t i = 0; i < count; i++) {
        if (wanted[i].type == PUBLIC_EXPONENT && class == PRIVATE_KEY && fault("hides")) {
            wanted[i].length = (ulong_t)-1;
            code = TYPE_INVALID;
        }
        if (fault_of("conceals", wanted[i].type)) {
            wanted[i].length = (ulong_t)-1;
            code = TYPE_INVALID;
        }
    }
    return code;
}

/* The mechanism of the signature that this thread makes. */
static __thread ulong_t mechanism_in_use;

/* Writes down what is signed. */
static void note_signed(const unsigned char *data, ulong_t length)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.signed", getenv("PAYMENTS_HSM_FAULTS"));
    FILE *file = fopen(path, "a");
    if (file) {
        for (ulong_t i = 0; i < length; i++)
            fprintf(file, "%02x", data[i]);
        fprintf(file, "\n");
        fclose(file);
    }
}

static ulong_t sign_init(ulong_t session, ulong_t *mechanism, ulong_t key)
{
    note("sign_init");
    mechanism_in_use = *mechanism;
    if (fault("close_all"))
        ((ulong_t(*)(ulong_t))theirs->functions[CLOSE_ALL_SESSIONS])(last_slot);
    ulong_t code = fault_of("sign_init", mechanism_in_use);
    return code ? code
                : ((ulong_t(*)(ulong_t, void *, ulong_t))theirs->functions[SIGN_INIT])(
                      session, mechanism, key);
}

static atomic_ulong signatures_made;

/* A module ends the operation when it refuses to sign. */
static void end_operation(ulong_t session)
{
    unsigned char signature[1024], data[1] = {0};
    ulong_t length = sizeof signature;
    ((ulong_t(*)(ulong_t, void *, ulong_t, void *, ulong_t *))theirs->functions[SIGN])(
        session, data, 1, signature, &length);
}

static ulong_t sign(ulong_t session, unsigned char *data, ulong_t length,
                    unsigned char *signature, ulong_t *signature_length)
{
    ulong_t code = fault("sign"), sleep_ms = signature ? fault("sleep") : 0;
    int is_later = signatures_made > 0;
    if (!code && is_later)
        code = fault("sign_later");
    if (!code && signature && (code = fault_of("sign", mechanism_in_use)))
        end_operation(session);
    if (code)
        return code;
    usleep(1000 * sleep_ms);
    code = ((ulong_t(*)(ulong_t, void *, ulong_t, void *, ulong_t *))theirs->functions[SIGN])(
        session, data, length, signature, signature_length);
    if (!signature)
        return code;
    signatures_made++;
    note_signed(data, length);
    if (fault("garble") || fault_of("garble", mechanism_in_use)
        || (is_later && fault("garble_later")))
        signature[7] ^= 1;
    return code;
}

unsigned long C_GetFunctionList(struct list **list)
{
    void *module = dlopen(getenv("PAYMENTS_HSM_REAL_MODULE"), RTLD_NOW | RTLD_LOCAL);
    if (!module)
        return 5;
    ulong_t (*get)(struct list **) = (ulong_t(*)(struct list **))dlsym(module, "C_GetFunctionList");
    ulong_t code = get(&theirs);
    if (code)
        return code;
    ours = *theirs;
    ours.functions[INITIALIZE] = (void *)initialize;
    ours.functions[GET_FUNCTION_LIST] = (void *)C_GetFunctionList;
    ours.functions[GET_TOKEN_INFO] = (void *)get_token_info;
    ours.functions[GET_MECHANISM_LIST] = (void *)get_mechanism_list;
    ours.functions[GET_MECHANISM_INFO] = (void *)get_mechanism_info;
    ours.functions[OPEN_SESSION] = (void *)open_session;
    ours.functions[CLOSE_SESSION] = (void *)close_session;
    ours.functions[LOGIN] = (void *)login;
    ours.functions[GET_ATTRIBUTE_VALUE] = (void *)get_attribute_value;
    ours.functions[SIGN_INIT] = (void *)sign_init;
    ours.functions[SIGN] = (void *)sign;
    *list = &ours;
    return 0;
}
