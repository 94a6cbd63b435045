/* A PKCS#11 module that passes everything on to SoftHSM, and fails on command.
 *
 * The file named by PAYMENTS_HSM_FAULTS holds lines "NAME VALUE COUNT": the
 * next COUNT times, the place NAME does what VALUE says.
 *   initialize, open_session, login, sign   return the code VALUE
 *   close_all     all sessions are closed before a signature is made
 *   garble        the signature is changed
 *   sleep         a signature takes VALUE milliseconds longer
 *   hides         a private key does not show its public exponent
 *   token_flags   VALUE is added to the flags of the token
 *   last_try      a login waits until another thread has read the flags of the
 *                 token, refuses the PIN, and leaves one attempt
 * What happened is written to the file of that name with ".log" behind it.
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
enum { INITIALIZE = 0, GET_FUNCTION_LIST = 3, GET_TOKEN_INFO = 6, OPEN_SESSION = 12,
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
    }
    return code;
}

static ulong_t sign_init(ulong_t session, void *mechanism, ulong_t key)
{
    if (fault("close_all"))
        ((ulong_t(*)(ulong_t))theirs->functions[CLOSE_ALL_SESSIONS])(last_slot);
    return ((ulong_t(*)(ulong_t, void *, ulong_t))theirs->functions[SIGN_INIT])(session, mechanism,
                                                                               key);
}

static ulong_t sign(ulong_t session, void *data, ulong_t length, unsigned char *signature,
                    ulong_t *signature_length)
{
    ulong_t code = fault("sign"), sleep_ms = signature ? fault("sleep") : 0;
    if (code)
        return code;
    usleep(1000 * sleep_ms);
    code = ((ulong_t(*)(ulong_t, void *, ulong_t, void *, ulong_t *))theirs->functions[SIGN])(
        session, data, length, signature, signature_length);
    if (signature && fault("garble"))
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
    ours.functions[OPEN_SESSION] = (void *)open_session;
    ours.functions[CLOSE_SESSION] = (void *)close_session;
    ours.functions[LOGIN] = (void *)login;
    ours.functions[GET_ATTRIBUTE_VALUE] = (void *)get_attribute_value;
    ours.functions[SIGN_INIT] = (void *)sign_init;
    ours.functions[SIGN] = (void *)sign;
    *list = &ours;
    return 0;
}
