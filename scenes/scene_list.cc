#include "scenes/schema/config.h"

namespace civita {
namespace {

// In the order in which they are listed.
constexpr SceneInfo kScenes[] = {
    {"arm7", "7-joint arm", "Seven joints draw a figure of eight", "Arms", "7 DoF"},
    {"arm7_twist", "7-joint arm, thrown", "Torsion turns the error, V falls alike", "Arms",
     "7 DoF"},
    {"arm7_circle", "7-joint arm, circle", "The hand draws a circle, the elbow is free", "Arms",
     "7 DoF"},
    {"arm7_excitation", "7-joint arm, excitation", "A motion that tells its parameters apart",
     "Arms", "7 DoF"},
    {"arm7_payload", "7-joint arm, payload", "Grasps 2 kg that its law does not know of", "Arms",
     "7 DoF"},
    {"arm7_push", "7-joint arm, pushed", "Gives way to pushes at the forearm", "Arms", "7 DoF"},
    {"ur5", "UR5", "Six joints go from place to place", "Arms", "6 DoF"},
    {"ball_arm", "Ball-jointed arm", "Three links turn every way", "Arms", "9 DoF"},
    {"space_arm", "Arm in space", "Thrusters hold a satellite while its arm moves", "Arms",
     "12 DoF"},
    {"quadruped", "Quadruped", "Stands on four point feet, steps when pushed", "Legged", "26 DoF"},
    {"quadruped_sine", "Quadruped, six axes", "The trunk moves, the feet stay", "Legged", "26 DoF"},
    {"quadruped_push", "Quadruped, pushed", "Holds the first push, steps for the others", "Legged",
     "26 DoF"},
    {"quadruped_trot", "Quadruped, trot", "Forward, sideways and round, pushed on the way",
     "Legged", "26 DoF"},
    {"quadruped_blocks", "Quadruped, blocks", "Trots over blocks that it does not see", "Legged",
     "26 DoF"},
    {"quadruped_slope", "Quadruped, slope", "Trots up 15° and down again", "Legged", "26 DoF"},
    {"quadruped_payload", "Quadruped, 30 % heavier", "The observer lifts it up again", "Legged",
     "26 DoF"},
    {"quadruped_payload_adaptive", "Quadruped, load learnt", "Adaptation lifts it up again",
     "Legged", "26 DoF"},
    {"quadruped_float", "Quadruped, weightless", "Torsion turns the error of a free body", "Legged",
     "26 DoF"},
    {"biped", "Biped", "Stands on two flat feet, its arms free", "Legged", "26 DoF"},
    {"biped_squat", "Biped, squat", "Down by 10 cm and up", "Legged", "26 DoF"},
    {"biped_one_leg", "Biped, one leg", "Holds a foot up for five seconds", "Legged", "26 DoF"},
    {"biped_push", "Biped, pushed", "Holds the first push, steps for the others", "Legged",
     "26 DoF"},
    {"biped_walk", "Biped, walk", "Walks and turns, pushed on the way", "Legged", "26 DoF"},
    {"biped_float", "Biped, weightless", "Torsion turns the error of a free body", "Legged",
     "26 DoF"},
    {"four_bar", "Four-bar linkage", "One motor swings a closed loop", "Closed chains", "1 DoF"},
    {"geared_arm", "Geared arm", "Rotors turn up to 100 times as fast as joints", "Closed chains",
     "3 DoF"},
    {"planar_2r", "Planar 2R arm", "Two links swing in a vertical plane", "Arms", "2 DoF"},
    {"point_mass", "Point mass", "The path stays in the plane", "Papers", "3 DoF"},
    {"point_mass_5", "Point mass, −5 (v×)", "Torsion throws the mass upward", "Papers", "3 DoF"},
    {"point_mass_10", "Point mass, −10 (v×)", "More torsion twists the path faster", "Papers",
     "3 DoF"},
    {"point_mass_circle", "Point mass, circle", "A velocity field leads to a circle", "Papers",
     "3 DoF"},
    {"chain20", "Chain of 20", "Twenty links in a row wave", "Large", "20 DoF"},
    {"tree20", "Tree of 20", "Twenty links in branches wave", "Large", "20 DoF"},
};

}  // namespace

std::span<const SceneInfo> Scenes() { return kScenes; }

}  // namespace civita
